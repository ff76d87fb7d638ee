import { toStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import { answerBudgetOf, mergeAnswered, toEnvelopeJson } from "../../../core/answer/envelope.ts";
import type { Batch } from "../../../core/contract/batch.ts";
import { attempt, err, makeRefusal, ok, type Result } from "../../../feature/refuse.ts";
import { countRequest, type Refused } from "../../../core/gate/admit-plan.ts";
import type { Execution, RunnableBatch } from "../../../core/gate/execution.ts";
import { readKeys } from "../../../core/gate/read-keys.ts";
import { NO_PLAN, type Plan } from "../../../core/plan/step.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { answerPlan, keepWrites, recalled } from "../../../core/run/execute/executor.ts";
import type { RunLog } from "../run-log-methods.ts";
import type { Fate } from "./decide-rerun.ts";
import type { KeptRun } from "./kept-run.ts";
import { batchRerun, claimWrites, orderOf, planRerun } from "./plan-rerun.ts";

export interface RerunOf {
  readonly runId: string;
  /** The run that all of its reruns go back to, and how many there were. */
  readonly root: string;
  readonly earlier: number;
  readonly kept: KeptRun;
  /** A rerun is found by the same tags, and stands in lists as its run does. */
  readonly tags?: readonly string[] | undefined;
  /** The request has drawn its unit. */
  readonly isCounted?: boolean;
  readonly source: string;
  readonly flow?: string | undefined;
  /** It ran as a job, and does so again. */
  readonly isJob?: boolean;
  /** The data of other actions of the root, and the input of a flow, by the names that references have for them. */
  readonly known: ReadonlyMap<string, unknown>;
  readonly log: Pick<RunLog, "claimRerun" | "dropRerun">;
}

/**
 * Run what is to be run again, and answer the run as a whole. Which writes it sets out to send is written down before any is sent: if
 * this ends without a record, the next rerun asks a person about each of them. Where another rerun has come in between nothing runs.
 */
export async function runRerun(
  fates: readonly Fate[],
  of: RerunOf,
  execution: Execution,
): Promise<Result<Answer, Refused>> {
  const { runId, root, earlier, kept, tags, source, flow, known, isCounted = false, isJob = false, log } = of;
  const { ports } = execution;
  const rerun = ports.newId();
  const toJson = (...[plan, outcomes, measured]: Parameters<typeof toEnvelopeJson>): string => {
    const merged = mergeAnswered(orderOf(fates), plan, outcomes);
    const envelope = toEnvelopeJson(merged.plan, merged.outcomes, measured);
    const inner = flow === undefined ? undefined : execution.catalog.get(flow)?.inner;
    const said = (inner as RunnableBatch | undefined)?.withAnswer(envelope, merged);
    return `${(said ?? envelope).slice(0, -1)},"parent":${JSON.stringify(runId)}}`;
  };
  if (!fates.some(({ kind }) => kind === "ask" || kind === "run")) {
    const recorded = isJob && execution.batchKey !== undefined ? await findRecorded(execution) : null;
    if (recorded !== null) return recorded;
    const counted = isCounted ? ok({ quota: null }) : await countRequest(execution);
    if (!counted.ok) return counted;
    const json = toJson({ ...NO_PLAN, given: known }, [], {
      batchId: rerun,
      durationMs: 0,
      maxParallelism: 0,
    });
    return ok({ json, quota: counted.value.quota, replayed: true });
  }
  if (isJob) return recordRerun(fates, of, execution);
  const asked = fates.map(({ action: { tool } }) => ({ tool }));
  const runOf = flow === undefined ? undefined : { tool: flow };
  const remembering = await recalled(asked, execution);
  const planned = planRerun(fates, kept.plan, remembering.catalog, known);
  if (!planned.ok) return err({ refusal: planned.error, quota: null });
  const tagged: Plan = { ...planned.value, ...(tags !== undefined && { tags }) };
  const looked = keepWrites(tagged, kept.plan.kept_as, remembering);
  if (!looked.ok) return err({ refusal: looked.error, quota: null });
  const [plan, own] = looked.value;
  const writes = plan.steps.flatMap(({ id, task }) => (task.ok && task.value.tool.isWrite ? [id] : []));
  const claimed = await attempt(() => log.claimRerun({ root, rerun, writes, after: earlier }));
  if (!claimed.ok) return err({ refusal: UNCLAIMED, quota: null });
  if (!claimed.value) return err({ refusal: OVERTAKEN, quota: null });
  const answered = await answerPlan(
    plan,
    {
      ...own,
      within: {
        answer: answerBudgetOf(plan),
        outer: runId,
        batchId: rerun,
        ...(isCounted && { isCounted }),
        again: source,
        ...(runOf !== undefined && { runOf }),
      },
    },
    {
      toJson,
      batchKey: execution.batchKey,
      keysOf: async (runnable) => {
        const own = await readKeys(runnable, { batchKey: undefined, ...execution });
        const none = { runId: ports.newId(), batch: null, actions: [] };
        return claimWrites(runnable, own ?? none, { root, earlier, actions: kept.actions });
      },
    },
  );
  // Nothing ran either of one that is answered from before, under its key.
  if (!answered.ok || answered.value.replayed) await attempt(() => log.dropRerun(rerun));
  return answered;
}

/** Find the job that a rerun under the same key has become; null where there is none. */
export async function findRecorded(execution: Execution): Promise<Result<Answer, Refused> | null> {
  const found = await execution.hooks?.later?.record(NO_BATCH, execution, { refused: NO_PLAN_RUNS });
  return found === undefined || (!found.ok && found.error.refusal === NO_PLAN_RUNS) ? null : found;
}

const NO_PLAN_RUNS = makeRefusal("INVALID_REQUEST", "Nothing of it is to run.");

const NO_BATCH: Batch = {
  entries: [],
  onError: "partial-success",
  deadlineMs: 0,
  dryRun: false,
  maxTokens: null,
  skipApproval: false,
};

async function recordRerun(
  fates: readonly Fate[],
  { runId, root, earlier, kept, tags, source, flow, known, isCounted = false, log }: RerunOf,
  execution: Execution,
): Promise<Result<Answer, Refused>> {
  const { later } = execution.hooks ?? {};
  if (later === undefined) return err({ refusal: NO_BACKGROUND, quota: null });
  const more = { background: true, ...(tags !== undefined && { tags }) };
  const made = batchRerun(fates, kept.plan, { known, more });
  if (!made.ok) return err({ refusal: made.error, quota: null });
  const { batch, asksFirst, given } = made.value;
  const writes = fates.flatMap(({ kind, action: { id, tool } }) =>
    (kind === "run" || kind === "ask") && execution.catalog.get(tool)?.isWrite === true ? [id] : [],
  );
  const pairs = <T>(list: readonly (readonly [string, T | undefined])[]) =>
    Object.fromEntries(list.flatMap(([id, value]) => (value === undefined ? [] : [[id, value]]))) as Record<
      string,
      T
    >;
  return later.record({ ...batch, keptAs: kept.plan.kept_as }, execution, {
    again: {
      isCounted,
      givenJson: JSON.stringify([...given]),
      asksFirst: [...asksFirst],
      keys: pairs(kept.actions.map(({ id, call_key: key }) => [id, key])),
      order: orderOf(fates).map((one) => {
        if (typeof one === "string") return one;
        const [{ id, toolName, warnings }, outcome] = one;
        return { id, toolName, warnings, outcomeJson: toStoredOutcome(outcome) };
      }),
      loops: fates.flatMap(({ action: { id }, loop }) => (loop === undefined ? [] : [{ ...loop, id }])),
      jobKeys: pairs(fates.map(({ action, jobKey }) => [action.id, jobKey])),
      parent: runId,
      source,
      tool: flow,
      async claim(rerun) {
        const claimed = await attempt(() => log.claimRerun({ root, rerun, writes, after: earlier }));
        if (!claimed.ok) return UNCLAIMED;
        return claimed.value ? null : OVERTAKEN;
      },
      drop: (rerun) => attempt(() => log.dropRerun(rerun)),
    },
  });
}

const NO_BACKGROUND = makeRefusal(
  "INVALID_REQUEST",
  "This run was a job, and this Worker runs no batches in the background; send its actions anew.",
);

const UNCLAIMED = makeRefusal(
  "UNAVAILABLE",
  "The rerun could not be written down, so nothing of it ran; ask again.",
  { retryAfterMs: 1_000 },
);
const OVERTAKEN = makeRefusal(
  "UNAVAILABLE",
  "Another rerun of this run has begun meanwhile, so nothing of this one ran; look at that one before you ask again.",
  { retryAfterMs: 2_000 },
);
