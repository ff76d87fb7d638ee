import { AnswerBudget } from "../core/answer/envelope.ts";
import { BATCH_TOOL } from "../core/catalog/alias.ts";
import type { QuotaState } from "../core/contract/gate/admission.ts";
import type { Batch } from "../core/contract/batch.ts";
import * as LIMITS from "../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../core/contract/refusal.ts";
import { execute, withPlan } from "../core/run/execute/executor.ts";
import { executeKeyed, executePlan } from "../core/run/execute/execute-plan.ts";
import type { Execution } from "../core/gate/execution.ts";
import type { BatchKey } from "../core/gate/read-keys.ts";
import { batchCalls, mayHaveWritten, type TurnBatch, type TurnPart } from "./batch-calls.ts";
import type { ProviderCall, ToolReply } from "./read-turn.ts";
import { toRefusedReply, toToolReply } from "./write-reply.ts";
import { attempt, err, ok, type Result } from "../core/kit/result.ts";
import { untilRead } from "../core/run/run-admitted.ts";
import type { Plan } from "../core/plan/step.ts";
import type { Refused } from "../core/gate/admit-plan.ts";
import type { Catalog } from "../core/catalog/catalog.ts";

/** A reply for every call of a turn, in their order, and what is left of the caller's quota. */
interface RanCalls {
  readonly replies: readonly ToolReply[];
  readonly quota: QuotaState | null;
  /** It ran before, under the same idempotency key, and these are the replies that it had then. */
  readonly replayed: boolean;
}

export interface TurnOptions {
  readonly bodyBytes: number;
  /** How often each byte of a reply is in the answer, at most. */
  readonly copies: number;
  /** Told each call's reply the moment it is known, once; the answer still contains all of them. */
  readonly onReply?: (position: number, reply: ToolReply) => void;
}

/** Run a batch; `tell` hears of each of its replies, by its entry, where somebody wants to hear of them. */
type RunBatch = (
  batch: Batch,
  execution: Execution,
  tell?: (entry: number, reply: ToolReply) => void,
) => Promise<Result<RanCalls, Refused>>;

/**
 * Run the calls of one model turn: calls of tools together as one batch, each call of `execute_actions` as the batch it
 * carries, all at once. Every call has exactly one reply, whatever becomes of the others.
 *
 * A batch that the model wrote wrong is a reply, because the model can write it again. The turn is refused when it has
 * too many calls, and when nothing of it was admitted. The context's idempotency key is that of the whole turn.
 */
export async function runToolCalls(
  calls: readonly ProviderCall[],
  context: Execution,
  { bodyBytes, copies, onReply }: TurnOptions,
): Promise<Result<RanCalls, Refused>> {
  const elements = calls.some(({ name }) => name === BATCH_TOOL) ? undefined : 0;
  const execution = { ...context, within: { answer: new AnswerBudget(copies, LIMITS.actions, elements) } };
  const single = calls.filter(({ name }) => name !== BATCH_TOOL).length;
  if (single > LIMITS.actions) return err({ refusal: tooMany(single), quota: null });
  const { batches, replies: told } = batchCalls(calls, context, { bodyBytes, together: false });
  for (const [position, reply] of told) onReply?.(position, reply);
  const isShared = batches.length > 1 || told.size > 0;
  const refuse = ({ from, to }: TurnPart, { entries }: Batch, refused: Refused): ToolReply =>
    toRefusedReply(refused.refusal, mayHaveWritten(entries.slice(from, to), refused, context.catalog));
  const begin: BeginBatch = async ({ batch, parts }, own) => {
    const tell = onReply && ((entry: number, reply: ToolReply) => onReply(parts[entry]!.call, reply));
    const run = parts[0]!.isBatch ? runBatch : runSingle;
    const one = await run(batch, { ...execution, ...own }, tell);
    if (!one.ok) for (const [entry, part] of parts.entries()) tell?.(entry, refuse(part, batch, one.error));
    return one;
  };
  const { batchKey } = execution;
  const ran =
    batchKey === undefined
      ? await Promise.all(batches.map((batch) => begin(batch)))
      : await beginKeyed(batches, begin, { ...execution, batchKey: { ...batchKey, isShared } });

  const [first] = ran;
  if (first !== undefined && !first.ok && ran.every((one) => !one.ok)) {
    const entries = batches.flatMap(({ batch }) => batch.entries);
    return err({ ...first.error, mayHaveBegun: mayHaveWritten(entries, first.error, context.catalog) });
  }
  let quota: QuotaState | null = null;
  let replayed = ran.length > 0;
  const replies = new Map(told);
  for (const [index, { batch, parts }] of batches.entries()) {
    const one = ran[index]!;
    if (!one.ok) context.watch?.sawRefusal({ code: one.error.refusal.code, status: 200 });
    replayed &&= one.ok && one.value.replayed;
    // A quota that was drawn by a run is told rather than that of a mere plan.
    if (one.ok && (quota === null || one.value.quota?.allowance === undefined)) quota = one.value.quota;
    for (const [entry, part] of parts.entries())
      replies.set(part.call, one.ok ? one.value.replies[entry]! : refuse(part, batch, one.error));
  }
  return ok({ replies: calls.map((_, position) => replies.get(position)!), quota, replayed });
}

/** Run one batch of a turn, with what of the execution is its own. */
type BeginBatch = (batch: TurnBatch, own?: Partial<Execution>) => ReturnType<RunBatch>;

/**
 * Run a turn's batches under its key, each under a part of it. The first that can be admitted goes ahead: where another
 * turn has the key, or no quota is left, nothing else begins, and all of them have that refusal.
 */
async function beginKeyed(
  batches: readonly TurnBatch[],
  begin: BeginBatch,
  { batchKey, listener }: Execution & { readonly batchKey: BatchKey },
): Promise<Awaited<ReturnType<RunBatch>>[]> {
  const ran: Awaited<ReturnType<RunBatch>>[] = [];
  const keyOf = (part: number): Partial<Execution> => ({ batchKey: { ...batchKey, part } });
  for (const [part, batch] of batches.entries()) {
    const admitted = Promise.withResolvers<void>();
    const leading = begin(batch, {
      ...keyOf(part),
      listener: {
        ...listener,
        onAdmitted(quota) {
          listener?.onAdmitted?.(quota);
          admitted.resolve();
        },
      },
    });
    const early = await Promise.race([admitted.promise, leading]);
    if (early === undefined || early.ok) {
      const others = batches.slice(part + 1);
      return [
        ...ran,
        ...(await Promise.all([leading, ...others.map((one, at) => begin(one, keyOf(part + 1 + at)))])),
      ];
    }
    // A batch that the model wrote wrong, or whose plan is another by now, says nothing of the others.
    const { code } = early.error.refusal;
    if (code !== "INVALID_BATCH" && code !== "PLAN_CHANGED") return batches.map(() => early);
    ran.push(early);
  }
  return ran;
}

const runSingle: RunBatch = (batch, execution, tell) =>
  withPlan(batch, execution, async (plan, current) => {
    const told: Execution = {
      ...current,
      ...(tell && {
        listener: {
          ...current.listener,
          onOutcome: ({ index }, outcome) => tell(index, toToolReply(outcome)),
        },
      }),
    };
    if (current.batchKey !== undefined) return runSingleKeyed(plan, told, tell);
    const executed = await executePlan(plan, told);
    if (!executed.ok) return executed;
    const { outcomes, quota, release } = executed.value;
    const replies = outcomes.map(toToolReply);
    untilRead(release, current);
    return ok({ replies, quota, replayed: false });
  });

/** Under a key the replies themselves are kept. */
async function runSingleKeyed(
  plan: Plan,
  execution: Execution,
  tell?: (entry: number, reply: ToolReply) => void,
): Promise<Result<RanCalls, Refused>> {
  const answer = await executeKeyed(plan, execution, (outcomes) => JSON.stringify(outcomes.map(toToolReply)));
  if (!answer.ok) return answer;
  const { json, quota, replayed } = answer.value;
  const replies = JSON.parse(json) as ToolReply[];
  if (replayed) for (const [entry, reply] of replies.entries()) tell?.(entry, reply);
  return ok({ replies, quota, replayed });
}

/** A batch whose actions failed is no failed call: what failed is said inside. */
const runBatch: RunBatch = async (batch, execution, tell) => {
  // Its actions have no listener, but as part of a turn that is told while it runs it has to be ended with it.
  const answer = await execute(
    batch,
    tell ? { ...execution, listener: { onOutcome: () => {}, ...execution.listener } } : execution,
  );
  if (!answer.ok) return answer;
  const { json, quota, replayed } = answer.value;
  const reply = { json, failed: false };
  tell?.(0, reply);
  return ok({ replies: [reply], quota, replayed });
};

function tooMany(calls: number): Refusal {
  const hint = `A turn may have ${LIMITS.actions} calls, received ${calls}; send them in several requests.`;
  return makeRefusal("INVALID_BATCH", hint);
}

/**
 * The same with a catalog that knows the names that a caller has sent, if there are such tools: where this isolate does not know one
 * of them, the tenant's object is asked at once, because somebody may have added it a moment ago elsewhere.
 */
export async function seekNames<E extends Pick<Execution, "catalog" | "currentCatalog">>(
  execution: E,
  isKnown: (catalog: Catalog) => boolean,
): Promise<E> {
  if (isKnown(execution.catalog)) return execution;
  const current = await attempt(() => execution.currentCatalog(true));
  return current.ok ? { ...execution, catalog: current.value } : execution;
}
