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

const field = (
  name: string,
  type: string,
  insert: string,
  help: string,
  values?: readonly string[],
): BatchField => ({ name, type, insert: withCaret(insert), help, ...(values && { values }) });

export const BATCH_FIELDS: readonly BatchField[] = [
  field("actions", "list", "[|]", "The calls, 1 to 50"),
  field("on_error", "text", '"|"', "What a failure does to the others", ['"partial-success"', '"fail-fast"']),
  field(
    "deadline_ms",
    "number",
    "|",
    "After so long the answer comes, whatever is unfinished; default 15000, in the background 900000",
  ),
  field("max_tokens", "number", "|", "One budget for all results together"),
  field("progress", "boolean", "true", "Tell events when each call leaves its queues", ["true", "false"]),
  field("background", "boolean", "true", "Record it and answer at once: it runs as a job", ["true", "false"]),
  field("dry_run", "boolean", "true", "Only plan: nothing runs", ["true", "false"]),
  field("plan_receipt", "text", '"|"', "Run only if the plan is the one that dry_run gave this for"),
  field("skip_approval", "boolean", "true", "Do not ask for approval, for keys that may", ["true", "false"]),
  field("callback_url", "text", '"|"', "Told of each approval decided and each job ended"),
];

export const ACTION_FIELDS: readonly BatchField[] = [
  field("id", "text", '"|"', "The name by which others refer to this action; default a0, a1, …"),
  field("tool", "text", '"|"', "The tool to call"),
  field("args", "object", "{|}", "The tool's arguments"),
  field("depends_on", "list of ids", '["|"]', "Waits for these, and is skipped when one fails"),
  field("for_each", "list or reference", '{ "$ref": "|" }', "Once for each element, as item#"),
  field("select", "list of pointers", '["|"]', "Only these places of the result"),
  field("timeout_ms", "number", "|", "Shortens the tool's own limit"),
  field("idempotency_key", "text", '"|"', "The same key never acts twice"),
  field("callback_url", "text", '"|"', "Told when the job ends; background tools only"),
  field("run_at", "text", '"|"', "When to begin, RFC 3339; background tools only"),
];

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["arguments", "args"],
  ["parameters", "args"],
  ["params", "args"],
  ["input", "args"],
  ["name", "tool"],
  ["function", "tool"],
  ["tool_name", "tool"],
]);

/** The field that the API reads where another stands in its place. */
export function meantBy(name: string): string {
  return ALIASES.get(name) ?? name;
}

export const REFERENCE_FIELDS: readonly BatchField[] = [
  field("$ref", "reference", '"|"', "A value of another action's result"),
  field("$template", "text", '"{{|}}"', "Text around values of other results"),
  field("$literal", "any", "|", "This as it stands, though it looks like a reference"),
];
