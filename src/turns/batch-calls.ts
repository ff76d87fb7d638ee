import { ALIASES, BATCH_TOOL } from "../core/catalog/alias.ts";
import type { Catalog } from "../core/catalog/catalog.ts";
import type { Entry } from "../core/contract/action.ts";
import { type Batch, parseBatch } from "../core/contract/batch.ts";
import { type Failure, makeFailure } from "../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../core/contract/json.ts";
import * as LIMITS from "../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../core/contract/refusal.ts";
import type { Refused } from "../core/gate/admit-plan.ts";
import type { Execution } from "../core/gate/execution.ts";
import { err, ok, type Result } from "../core/kit/result.ts";
import type { ProviderCall, ToolReply } from "./read-turn.ts";
import { toFailedReply, toRefusedReply } from "./write-reply.ts";

/** The part of a batch that answers one call of the model. */
export interface TurnPart {
  /** Position of the call in its turn. */
  readonly call: number;
  /** Where its actions stand in the batch. */
  readonly from: number;
  readonly to: number;
  /** A call of `execute_actions`, which is answered by an envelope. */
  readonly isBatch: boolean;
  /** The budget that the model asked for its call's data; null for none. */
  readonly maxTokens: number | null;
}

/** A batch made of calls of a turn. */
export interface TurnBatch {
  readonly batch: Batch;
  readonly parts: readonly TurnPart[];
}

/** The calls of a turn as batches, and the replies to those of which none can be made. */
export interface TurnBatches {
  readonly batches: readonly TurnBatch[];
  readonly replies: ReadonlyMap<number, ToolReply>;
}

interface Request {
  readonly call: number;
  readonly isBatch: boolean;
  readonly batch: Batch;
}

/** How calls share batches. */
interface Sharing {
  readonly bodyBytes: number;
  /**
   * Calls of `execute_actions` are part of the batch of all, so that caps and the order of writes hold across calls; where they cannot
   * be (they stop at their first failure, are a dry run, or have references to ids that another call uses too), and where this is
   * false, each is a batch of its own, after the others.
   */
  readonly together: boolean;
}

type Known = Pick<Execution, "catalog" | "watch" | "hooks">;

/** Make batches of the calls of a turn: one of the calls of tools, and one of each call of `execute_actions` that stands alone. */
export function batchCalls(
  calls: readonly ProviderCall[],
  known: Known,
  { bodyBytes, together }: Sharing,
): TurnBatches {
  const replies = new Map<number, ToolReply>();
  const requests: Request[] = [];
  const counts = ({ name }: ProviderCall): boolean => together || name === BATCH_TOOL;
  let left: number = LIMITS.actions - calls.filter((call) => !counts(call)).length;
  for (const [call, sent] of calls.entries()) {
    const read = readCall(sent, known, bodyBytes);
    const size = read.ok && counts(sent) ? read.value.entries.length : 0;
    if (!read.ok) replies.set(call, read.error);
    else if (size > left) replies.set(call, refuse(together ? CALL_TOO_MANY : BATCH_TOO_MANY, known));
    else {
      left -= size;
      requests.push({ call, isBatch: sent.name === BATCH_TOOL, batch: read.value });
    }
  }
  return { batches: mergeRequests(requests, together), replies };
}

/** A single call's broken arguments are a failure in its place. */
function readCall(call: ProviderCall, known: Known, bodyBytes: number): Result<Batch, ToolReply> {
  const { name, args, closed = false } = call;
  const { catalog } = known;
  if (name !== BATCH_TOOL) {
    const batch = parseBatch({ actions: [{ tool: name, args: args.ok ? args.value : {} }] }, bodyBytes);
    if (!batch.ok) return err(refuse(batch.error, known));
    const [entry] = batch.value.entries as readonly [Entry];
    const failure = !args.ok ? args.error : closed && mayWrite(name, args.value, catalog) ? CUT_OFF : null;
    return ok({ ...batch.value, entries: [failure === null ? entry : { ...entry, action: err(failure) }] });
  }
  if (!args.ok) return err(toFailedReply("error", args.error));
  const keepers = known.hooks?.keepers;
  const kept = keepers?.read(args.value) ?? ok({ rest: args.value, keptAs: undefined });
  if (!kept.ok) return err(refuse(kept.error, known));
  const parsed = parseBatch(kept.value.rest, bodyBytes, keepers?.fields);
  if (!parsed.ok) return err(refuse(parsed.error, known));
  const batch = ok({ ...parsed.value, keptAs: kept.value.keptAs });
  const writes = ({ action }: Entry): boolean =>
    !action.ok || mayWrite(action.value.tool, action.value.args, catalog);
  return closed && batch.value.entries.some(writes) ? err(toFailedReply("error", CUT_OFF)) : batch;
}

/** The model wrote what is refused here, so it is told, and can write it again. */
function refuse(refusal: Refusal, { watch }: Known): ToolReply {
  watch?.sawRefusal({ code: refusal.code, status: 200 });
  return toRefusedReply(refusal);
}

const CUT_OFF: Failure = makeFailure("INVALID_ARGS", {
  hint: "The arguments were cut off before their end. Nothing is written on a guess: send the call again, whole.",
});

const BATCH_TOO_MANY = makeRefusal(
  "INVALID_BATCH",
  `The calls of one turn may have ${LIMITS.actions} actions together; send this batch again in the next turn.`,
);

const CALL_TOO_MANY = makeRefusal(
  "INVALID_BATCH",
  `The calls of one turn may have ${LIMITS.actions} actions together, and the ones before this are as many; make this call again in the next turn.`,
);

/** Whether an action of a batch that is refused now may have changed something in an earlier run. */
export function mayHaveWritten(
  entries: readonly Entry[],
  { mayHaveBegun }: Pick<Refused, "mayHaveBegun">,
  catalog: Catalog,
): boolean {
  if (mayHaveBegun !== true) return false;
  return entries.some(({ action }) => action.ok && mayWrite(action.value.tool, action.value.args, catalog));
}

/** Whether a call may change something; what is not known may. */
function mayWrite(name: string, args: JsonObject, catalog: Catalog): boolean {
  if (!ALIASES.has(name)) return catalog.callable(name)?.isWrite ?? true;
  const { tool_name: inner, parameters } = args;
  if (typeof inner !== "string" || ALIASES.has(inner)) return true;
  return mayWrite(inner, isJsonObject(parameters) ? parameters : {}, catalog);
}

function mergeRequests(requests: readonly Request[], together: boolean): TurnBatch[] {
  const entries: Entry[] = [];
  const parts: TurnPart[] = [];
  const taken = new Set<string>();
  const alone: TurnBatch[] = [];
  let deadlineMs = 0;
  for (const { call, isBatch, batch } of requests) {
    const { maxTokens } = batch;
    const renamed = (together ? joins(batch) : !isBatch) ? giveIds(batch.entries, taken, isBatch) : null;
    if (renamed === null) {
      const part = { call, from: 0, to: batch.entries.length, isBatch, maxTokens };
      alone.push({ batch, parts: [part] });
      continue;
    }
    const from = entries.length;
    for (const entry of renamed) {
      taken.add(entry.id);
      entries.push({ ...entry, index: entries.length });
    }
    parts.push({ call, from, to: entries.length, isBatch, maxTokens });
    // A call by itself says nothing of time; the request of a conversation does.
    deadlineMs = Math.max(deadlineMs, isBatch || !together ? batch.deadlineMs : LIMITS.maxDeadlineMs);
  }
  if (parts.length === 0) return alone;
  const { batch } = requests.find(({ call }) => call === parts[0]!.call)!;
  return [{ batch: { ...batch, sent: undefined, entries, deadlineMs, maxTokens: null }, parts }, ...alone];
}

/** Whether nothing that is said of a batch as a whole would hold for the others as well. */
function joins({ onError, dryRun, skipApproval, background, ...of }: Batch): boolean {
  const isPlain = onError === "partial-success" && !dryRun && !skipApproval && background === undefined;
  return isPlain && of.callbackUrl === undefined && of.tags === undefined && of.planReceipt === undefined;
}

/** Give actions ids that no call before has; null where that would change what they refer to. */
function giveIds(
  entries: readonly Entry[],
  taken: ReadonlySet<string>,
  mayRefer: boolean,
): readonly Entry[] | null {
  if (!entries.some(({ id }) => taken.has(id))) return entries;
  if (mayRefer && entries.some(refers)) return null;
  const used = new Set([...taken, ...entries.map(({ id }) => id)]);
  return entries.map((entry) => {
    let { id } = entry;
    for (let n = 0; taken.has(id) || (id !== entry.id && used.has(id)); n += 1) id = `a${taken.size + n}`;
    used.add(id);
    return { ...entry, id };
  });
}

function refers({ action }: Entry): boolean {
  if (!action.ok) return false;
  const { dependsOn, forEach, mayRefer } = action.value;
  return dependsOn.length > 0 || forEach !== undefined || mayRefer;
}
