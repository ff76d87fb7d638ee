import { err, ok, type Result } from "../kit/result.ts";
import { type Entry, parseAction, parsePlainAction } from "./action.ts";
import { makeFailure } from "./failure.ts";
import {
  anything,
  flag,
  listOf,
  matching,
  object,
  oneOf,
  optional,
  text,
  upTo,
  withDefault,
} from "./form.ts";
import { isJsonObject, type JsonObject, withoutNulls } from "./json.ts";
import { describe, explainMisfit, toHint } from "./issues.ts";
import * as LIMITS from "./limits.ts";
import { OTHER_FIELDS } from "./other-names.ts";
import { makeRefusal, type Refusal } from "./refusal.ts";
import { readJsonText } from "./run-schema.ts";

const ON_ERROR = ["partial-success", "fail-fast"] as const;

/** The bounds of a batch that its author must know. */
export const BATCH_BOUNDS = {
  actions: LIMITS.actions,
  deadlineMs: LIMITS.deadlineMs,
  maxDeadlineMs: LIMITS.maxDeadlineMs,
  maxTokens: LIMITS.maxTokens,
  loopElements: LIMITS.loopElements,
  selectPointers: LIMITS.selectPointers,
} as const;

/** The consequence of a failed action for the rest of the batch. */
export type OnError = (typeof ON_ERROR)[number];

/** A word of the caller's own, without control characters. */
const TAG = new RegExp(`^\\P{Cc}{1,${LIMITS.runTagCharacters}}$`, "u");

/** The tags by which a run can be found. */
export const tagsForm = listOf(matching(TAG), { min: 0, max: LIMITS.runTags });

/** The form of what `dry_run` gives: three digests. */
export const receiptForm = matching(/^[0-9a-f]{64}(\.[0-9a-f]{64}){2}$/);

/** The envelope of a batch; its actions are parsed one by one, so that one bad action stays one bad action. */
export const batchForm = object({
  actions: listOf(anything, { max: LIMITS.actions }),
  on_error: withDefault(oneOf(...ON_ERROR), "partial-success"),
  deadline_ms: optional(upTo(LIMITS.maxBackgroundDeadlineMs)),
  dry_run: withDefault(flag, false),
  plan_receipt: optional(receiptForm),
  max_tokens: optional(upTo(LIMITS.maxTokens)),
  skip_approval: withDefault(flag, false),
  callback_url: optional(text),
  progress: withDefault(flag, false),
  tags: optional(tagsForm),
  background: withDefault(flag, false),
});

const OPTIONAL = batchForm.names.filter((name) => name !== "actions");

/** The fields by which a batch asks a feature to look after its writes, as they were sent. */
export type KeptAs = JsonObject;

/** The request of one call: 1 to 50 entries in the order asked. */
export interface Batch {
  /** As it was sent, without what features took of it; absent where a program made it. */
  readonly sent?: JsonObject | undefined;
  readonly entries: readonly Entry[];
  readonly onError: OnError;
  readonly deadlineMs: number;
  /** Only say what would be done. */
  readonly dryRun: boolean;
  /** It runs if its plan is the one that this was given for; absent where any will do. */
  readonly planReceipt?: string | undefined;
  /** One budget for the sum of all `data`, in estimated tokens; null for none. */
  readonly maxTokens: number | null;
  /** Asks to run without a person's yes what otherwise needs one; only a key with that flag gets it. */
  readonly skipApproval: boolean;
  /** Where the events about what comes after its answer go; nothing is sent there until it is checked. */
  readonly callbackUrl?: string;
  /** Tell in a stream of events when each call leaves its queues. */
  readonly tellsStarts?: true;
  /** The words by which its run can be found; absent if it has none. */
  readonly tags?: readonly string[];
  /** A feature looks after its writes. */
  readonly keptAs?: KeptAs | undefined;
  /** The batch as it was sent, where it is to run in the background. */
  readonly background?: JsonObject;
}

/** How a batch is read. A program that sends one by its own names has no use for other readings. */
interface BatchReading {
  /** Size of the body it came in, which bounds every part of it. */
  readonly bodyBytes: number;
  /** Fields that were taken out of it before: a misspelt one may have meant them. */
  readonly taken?: readonly string[] | undefined;
  readonly parse?: typeof parseAction;
  /** Says how a body of another form is put right, with what is wrong with it. */
  readonly say?: (body: unknown, wrong: string) => string;
}

/** Parse a batch, also one whose actions, or their fields, are written as models write them. */
export function parseBatch(
  sent: unknown,
  bodyBytes: number,
  taken?: readonly string[],
): Result<Batch, Refusal> {
  return parsePlainBatch(sent, { bodyBytes, taken, parse: parseAction, say: sayForm });
}

/** Parse a batch. Refused whole only when its envelope is wrong: then no position could be answered for certain. */
export function parsePlainBatch(
  sent: unknown,
  { bodyBytes, taken = [], parse = parsePlainAction, say = (_, wrong) => wrong }: BatchReading,
): Result<Batch, Refusal> {
  const value = withListOfActions(withoutNulls(sent, OPTIONAL));
  if (!batchForm.fits(value)) {
    const { error } = batchForm.schema().safeParse(value);
    const { issues, hint } = explainMisfit(error!, value, { known: [...batchForm.names, ...taken] });
    const said = say(value, hint.replace("The value", "The body"));
    return err(makeRefusal("INVALID_BATCH", said, { issue: issues[0] }));
  }
  const { actions, background = false, deadline_ms: asked } = value;
  const most = background ? LIMITS.maxBackgroundDeadlineMs : LIMITS.maxDeadlineMs;
  const deadlineMs = asked ?? (background ? most : LIMITS.deadlineMs);
  if (deadlineMs > most) return err(tooLong(deadlineMs));
  const mayExceedArgs = bodyBytes > LIMITS.argsBytes;
  const entries = actions.map((raw, index) => parse(raw, index, mayExceedArgs));

  const first = new Map<string, number>();
  for (const { id, index } of entries) {
    const other = first.get(id);
    if (other !== undefined) {
      const issue = {
        path: `/actions/${index}/id`,
        expected: "an id no other action has",
        received: `the string "${id}"`,
      };
      const hint = `Actions ${other} and ${index} both have the id '${id}'; give every action its own id.`;
      return err(makeRefusal("INVALID_BATCH", hint, { issue }));
    }
    first.set(id, index);
  }
  return ok({
    sent: value,
    entries: refuseRepeatedKeys(entries),
    onError: value.on_error ?? "partial-success",
    deadlineMs,
    dryRun: value.dry_run ?? false,
    maxTokens: value.max_tokens ?? null,
    skipApproval: value.skip_approval ?? false,
    planReceipt: value.plan_receipt,
    ...(value.callback_url !== undefined && { callbackUrl: value.callback_url }),
    ...(value.progress === true && { tellsStarts: true as const }),
    ...(value.tags !== undefined && value.tags.length > 0 && { tags: value.tags }),
    ...(background && { background: value }),
  });
}

/** The body with the list of actions that the text of `actions` is the JSON of. */
function withListOfActions(body: unknown): unknown {
  if (!isJsonObject(body) || typeof body["actions"] !== "string") return body;
  const actions = readJsonText(body["actions"], "array", 1);
  return actions === undefined ? body : { ...body, actions };
}

function tooLong(deadlineMs: number): Refusal {
  const issue = {
    path: "/deadline_ms",
    expected: `an integer from 1 to ${LIMITS.maxDeadlineMs}, or to ${LIMITS.maxBackgroundDeadlineMs} with "background": true`,
    received: describe(deadlineMs),
  };
  return makeRefusal("INVALID_BATCH", toHint([issue]), { issue });
}

/** Whether a body is an action without the list around it. */
function isOneAction(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    !Object.hasOwn(value, "actions") &&
    ["tool", "args", ...OTHER_FIELDS].some((name) => Object.hasOwn(value, name))
  );
}

function sayForm(body: unknown, wrong: string): string {
  return isOneAction(body)
    ? 'There is no /actions, and the body is one action: wrap it as {"actions": [{...}]}.'
    : `${wrong} ${sayWrapping(body)}`.trim();
}

/** How a body is wrapped that has its actions in another form; empty where nothing is known of it. */
function sayWrapping(value: unknown): string {
  if (Array.isArray(value)) return 'Wrap the list of actions: {"actions": [...]}.';
  if (!isJsonObject(value) || Object.keys(value).length === 0)
    return 'Send {"actions": [{"tool": "...", "args": {...}}]}.';
  const { actions } = value;
  if (isJsonObject(actions)) return 'Put it into a list: {"actions": [{...}]}.';
  return "";
}

/** One key is one action: the second of the same key in a batch is a slip, most often one key copied to all. */
function refuseRepeatedKeys(entries: readonly Entry[]): readonly Entry[] {
  if (!entries.some(({ action }) => action.ok && action.value.keyed !== undefined)) return entries;
  const first = new Map<string, Entry>();
  return entries.map((entry) => {
    const key = entry.action.ok ? entry.action.value.keyed?.key : undefined;
    if (key === undefined) return entry;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, entry);
      return entry;
    }
    const hint = `Action '${other.id}' has this idempotency_key already; give every action a key of its own.`;
    const issue = { path: "/idempotency_key", expected: "a key of its own", received: describe(key) };
    return { ...entry, action: err(makeFailure("INVALID_ACTION", { issues: [issue], hint })) };
  });
}
