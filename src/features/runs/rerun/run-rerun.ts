import { answerBudgetOf, toEnvelopeJson } from "../../../core/answer/envelope.ts";
import { makeRefusal } from "../../../core/contract/refusal.ts";
import { countRequest, type Refused } from "../../../core/gate/admit-plan.ts";
import type { Execution, RunnableBatch } from "../../../core/gate/execution.ts";
import { readKeys } from "../../../core/gate/read-keys.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import type { Plan } from "../../../core/plan/step.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { answerPlan, keepWrites, recalled } from "../../../core/run/execute/executor.ts";
import type { RunLog } from "../run.ts";
import type { Fate } from "./decide-rerun.ts";
import type { KeptRun } from "./kept-run.ts";
import { claimWrites, mergeRerun, planRerun } from "./plan-rerun.ts";

export interface RerunOf {
  readonly runId: string;
  /** The run that all of its reruns go back to, and how many there were. */
  readonly root: string;
  readonly earlier: number;
  readonly kept: KeptRun;
  /** A rerun is found by the same tags, and stands in lists as its run does. */
  readonly tags?: readonly string[];
  /** The request has drawn its unit. */
  readonly isCounted?: boolean;
  readonly source: string;
  readonly flow?: string;
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
  { runId, root, earlier, kept, tags, source, flow, known, isCounted = false, log }: RerunOf,
  execution: Execution,
): Promise<Result<Answer, Refused>> {
  const { ports } = execution;
  const rerun = ports.newId();
  const toJson = (...[plan, outcomes, measured]: Parameters<typeof toEnvelopeJson>): string => {
    const merged = mergeRerun(fates, plan, outcomes);
    const envelope = toEnvelopeJson(merged.plan, merged.outcomes, measured);
    const inner = flow === undefined ? undefined : execution.catalog.get(flow)?.inner;
    const said = (inner as RunnableBatch | undefined)?.withAnswer(envelope, merged);
    return `${(said ?? envelope).slice(0, -1)},"parent":${JSON.stringify(runId)}}`;
  };
  if (!fates.some(({ kind }) => kind === "ask" || kind === "run")) {
    const counted = isCounted ? ok({ quota: null }) : await countRequest(execution);
    if (!counted.ok) return counted;
    const json = toJson({ ...NOTHING, given: known }, [], {
      batchId: rerun,
      durationMs: 0,
      maxParallelism: 0,
    });
    return ok({ json, quota: counted.value.quota, replayed: true });
  }
  const asked = fates.map(({ action: { tool } }) => ({ tool }));
  const runOf = flow === undefined ? undefined : { tool: flow };
  const remembering = await recalled(asked, execution, runOf);
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

const NOTHING: Plan = {
  steps: [],
  onError: "partial-success",
  deadlineMs: 0,
  demotes: false,
  maxTokens: null,
  handles: [],
  sharesReads: false,
};

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
