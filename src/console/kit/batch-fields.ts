import { OTHER_NAMES } from "../../core/contract/issues.ts";

/** Where the cursor goes in what is inserted. JSON has no such character outside of texts and escapes it inside. */
export const CARET = "\u0001";

/** Mark with `|` where the cursor goes. */
export function withCaret(text: string): string {
  return text.replace("|", CARET);
}

/** A field of a batch or of an action, as completion offers it. */
export interface BatchField {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The text that stands in its place to begin with, with `CARET` where the cursor goes. */
  readonly insert: string;
  readonly values?: readonly string[];
}

/** The text that a new field has in the place of its value, by its type. */
const BEGUN: Readonly<Record<string, string>> = {
  text: '"|"',
  boolean: "true",
  object: "{|}",
  list: "[|]",
  "list of texts": '["|"]',
  "list or reference": '{ "$ref": "|" }',
};

/** Make a field. @param values what it may be, between spaces */
export function field(name: string, type: string, help: string, values?: string): BatchField {
  const listed = type === "boolean" ? "true false" : values;
  const texts = listed?.split(" ").map((value) => (type === "text" ? `"${value}"` : value));
  return { name, type, insert: withCaret(BEGUN[type] ?? "|"), help, ...(texts && { values: texts }) };
}

/** The fields that every Worker knows. Those of a feature stand in its section. */
export const BATCH_FIELDS: readonly BatchField[] = [
  field("actions", "list", "The calls, 1 to 50"),
  field("on_error", "text", "What a failure does to the others", "partial-success fail-fast"),
  field("deadline_ms", "number", "The answer comes by then; default 15000, in the background 900000"),
  field("max_tokens", "number", "One budget for all results together"),
  field("progress", "boolean", "Tell events when each call leaves its queues"),
  field("background", "boolean", "Record it and answer at once: it runs as a job"),
  field("dry_run", "boolean", "Only plan: nothing runs"),
  field("plan_receipt", "text", "Run only if the plan is the one that dry_run gave this for"),
  field("skip_approval", "boolean", "Do not ask for approval, for keys that may"),
  field("callback_url", "text", "Told of each approval decided and each job ended"),
  field("tags", "list of texts", "By which its run is found"),
];

export const ACTION_FIELDS: readonly BatchField[] = [
  field("id", "text", "The name by which others refer to this action; default a0, a1, …"),
  field("tool", "text", "The tool to call"),
  field("args", "object", "The tool's arguments"),
  field("depends_on", "list of texts", "Ids of those that it waits for; it is skipped when one fails"),
  field("for_each", "list or reference", "Once for each element, as item#"),
  field("select", "list of texts", "Only these places of the result, as pointers"),
  field("timeout_ms", "number", "Shortens the tool's own limit"),
  field("idempotency_key", "text", "The same key never acts twice"),
  field("callback_url", "text", "Told when the job ends; background tools only"),
  field("run_at", "text", "When to begin, RFC 3339; background tools only"),
];

/** The field that the API reads where another stands in its place. */
export function meantBy(name: string): string {
  return Object.entries(OTHER_NAMES).find(([, others]) => others.includes(name as never))?.[0] ?? name;
}

export const REFERENCE_FIELDS: readonly BatchField[] = [
  field("$ref", "text", "A value of another action's result"),
  { ...field("$template", "text", "Text around values of other results"), insert: withCaret('"{{|}}"') },
  field("$literal", "any", "This as it stands, though it looks like a reference"),
];
