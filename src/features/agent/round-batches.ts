import { ALIASES, BATCH_TOOL } from "../../core/catalog/alias.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Entry } from "../../core/contract/action.ts";
import { type Batch, parseBatch } from "../../core/contract/batch.ts";
import { type Failure, makeFailure } from "../../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { makeRefusal } from "../../core/contract/refusal.ts";
import type { ToolReply } from "../../turns/provider-turn.ts";
import { toFailedReply, toRefusedReply } from "../../turns/to-tool-reply.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";
import type { ModelCall } from "./dialect/dialect.ts";

/** The part of a batch that answers one call of the model. */
export interface Part {
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
export interface RoundBatch {
  readonly batch: Batch;
  readonly parts: readonly Part[];
}

/** The calls of a turn as batches, and the replies to those of which none can be made. */
export interface RoundBatches {
  readonly batches: readonly RoundBatch[];
  readonly replies: ReadonlyMap<number, ToolReply>;
}

/** The request of one call. */
interface Request {
  readonly call: number;
  readonly isBatch: boolean;
  readonly batch: Batch;
}

/**
 * Make batches of the calls of a turn: one of all of them, so that caps and the order of writes hold across calls. A call of
 * `execute_actions` is a batch of its own, after the others, only where it cannot be part of theirs: it stops at its first
 * failure, is a dry run, or has references to ids that another call of the turn uses too.
 */
export function toRoundBatches(
  calls: readonly ModelCall[],
  catalog: Catalog,
  bodyBytes: number,
): RoundBatches {
  const replies = new Map<number, ToolReply>();
  const requests: Request[] = [];
  let left: number = LIMITS.actions;
  for (const [call, sent] of calls.entries()) {
    const read = readCall(sent, catalog, bodyBytes);
    if (!read.ok) replies.set(call, read.error);
    else if (read.value.entries.length > left) replies.set(call, TURN_FULL);
    else {
      left -= read.value.entries.length;
      requests.push({ call, isBatch: sent.name === BATCH_TOOL, batch: read.value });
    }
  }
  return { batches: mergeRequests(requests), replies };
}

function readCall(call: ModelCall, catalog: Catalog, bodyBytes: number): Result<Batch, ToolReply> {
  const { name, args, closed } = call;
  if (name !== BATCH_TOOL) {
    const batch = parseBatch({ actions: [{ tool: name, args: args.ok ? args.value : {} }] }, bodyBytes);
    if (!batch.ok) return err(toRefusedReply(batch.error));
    const [entry] = batch.value.entries as readonly [Entry];
    const failure = !args.ok ? args.error : closed && mayWrite(name, args.value, catalog) ? CUT_OFF : null;
    return ok({ ...batch.value, entries: [failure === null ? entry : { ...entry, action: err(failure) }] });
  }
  if (!args.ok) return err(toFailedReply("error", args.error));
  const batch = parseBatch(args.value, bodyBytes);
  if (!batch.ok) return err(toRefusedReply(batch.error));
  const writes = ({ action }: Entry): boolean =>
    !action.ok || mayWrite(action.value.tool, action.value.args, catalog);
  return closed && batch.value.entries.some(writes) ? err(toFailedReply("error", CUT_OFF)) : batch;
}

const CUT_OFF: Failure = makeFailure("INVALID_ARGS", {
  hint: "The arguments were cut off before their end. Nothing is written on a guess: send the call again, whole.",
});

const TURN_FULL = toRefusedReply(
  makeRefusal(
    "INVALID_BATCH",
    `The calls of one turn may have ${LIMITS.actions} actions together, and the ones before this are as many; make this call again in the next turn.`,
  ),
);

/** Whether a call may change something; what is not known may. */
function mayWrite(name: string, args: JsonObject, catalog: Catalog): boolean {
  if (!ALIASES.has(name)) return catalog.callable(name)?.isWrite ?? true;
  const { tool_name: inner, parameters } = args;
  if (typeof inner !== "string" || ALIASES.has(inner)) return true;
  return mayWrite(inner, isJsonObject(parameters) ? parameters : {}, catalog);
}

function mergeRequests(requests: readonly Request[]): RoundBatch[] {
  const entries: Entry[] = [];
  const parts: Part[] = [];
  const taken = new Set<string>();
  const alone: RoundBatch[] = [];
  let deadlineMs = 0;
  for (const { call, isBatch, batch } of requests) {
    const { maxTokens } = batch;
    const renamed = joins(batch) ? giveIds(batch.entries, taken, isBatch) : null;
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
    // A call by itself says nothing of time; the request does.
    deadlineMs = Math.max(deadlineMs, isBatch ? batch.deadlineMs : LIMITS.maxDeadlineMs);
  }
  if (parts.length === 0) return alone;
  const { batch } = requests.find(({ call }) => call === parts[0]!.call)!;
  return [{ batch: { ...batch, entries, deadlineMs, maxTokens: null }, parts }, ...alone];
}

function joins({ onError, dryRun, background }: Batch): boolean {
  return onError === "partial-success" && !dryRun && background === undefined;
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
