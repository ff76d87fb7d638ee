import { placeJob } from "../contract/gate/job-shard.ts";
import type { JobOrigin, JobSpec } from "../contract/gate/job.ts";
import * as LIMITS from "../contract/limits.ts";
import { WEBHOOK_ATTEMPTS } from "../kit/webhook-schedule.ts";
import type { Call, Plan } from "../plan/step.ts";
import { toLimit } from "./admit-plan.ts";
import type { FactsOfJob } from "./execution.ts";
import type { StepIds } from "./step-ids.ts";

/** Make the job of a background call: of the step at `index` and, in a loop, of one of its elements, whose name goes before its place. */
export type MakeJob = (call: Call, index: number, element?: LoopPlace) => JobSpec;

/** The place of an element in its loop, and its name where its batch may come again. */
export interface LoopPlace {
  readonly at: number;
  readonly name?: string | undefined;
}

export interface MakeJobOptions {
  readonly ids: StepIds;
  /** As many of the batch's jobs as its request can try by itself. */
  readonly headerSlots: number;
  readonly origin: () => JobOrigin;
  readonly facts?: FactsOfJob | undefined;
}

/**
 * Create what makes a batch's jobs, each with an id that says where it is kept. Where that is follows from the job's place
 * in the batch, or from the name of its element, and not from the moment at which it is made.
 */
export function createMakeJob(plan: Plan, { ids, headerSlots, origin, facts }: MakeJobOptions): MakeJob {
  let ranks: ReadonlyMap<number, number> | undefined;
  return (call, index, element) => {
    const { at = null, name } = element ?? {};
    ranks ??= rankBackground(plan);
    // A cap holds within one object, so the jobs of a capped tool stay together; and those that draw from a limit stay where
    // that is counted. A job that is asked for by its own idempotency key is the same one wherever it stands in a batch.
    const { tool } = call;
    const staysHome = Number.isFinite(tool.concurrency) || toLimit(tool) !== null || ids.seedOf(index).own;
    const atHome = staysHome ? Number.POSITIVE_INFINITY : headerSlots;
    const inLoop =
      name === undefined ? (at ?? 0) : Number.parseInt(name.slice(0, 4), 16) % LIMITS.loopElements;
    const rank = ranks.get(index)! + inLoop;
    const id = placeJob(ids.jobId(index, name ?? at), { rank, atHome });
    const job = makeJob(call, id, origin());
    const step = plan.steps[index]!;
    const idempotencyKey = step.jobKey ?? job.idempotencyKey;
    return { ...job, action: step.id, idempotencyKey, ...facts?.({ step, element: at, call }) };
  };
}

/**
 * Make the jobs of a plan that its admission can record, by step: fire-and-forget steps that wait for nothing. Making
 * one records nothing yet; the others are recorded when their turn comes.
 */
export function makeJobs(plan: Plan, makeJob: MakeJob): ReadonlyMap<number, JobSpec> {
  const jobs = new Map<number, JobSpec>();
  for (const { index, needs, parking, task } of plan.steps) {
    if (!task.ok || parking !== null || needs.length > 0) continue;
    const { tool, call } = task.value;
    if (tool.execution === "fire-and-forget" && call !== null) jobs.set(index, makeJob(call, index));
  }
  return jobs;
}

/** Make the job of one call. Its id is also its idempotency key, unless a call was made under another. */
export function makeJob({ tool, input, runAt, ...call }: Call, id: string, origin: JobOrigin): JobSpec {
  const callback = call.callback ?? origin.callback;
  const { retries } = tool;
  return {
    id,
    tool: tool.name,
    argsJson: JSON.stringify(input),
    idempotencyKey: id,
    maxAttempts: retries === "backoff" ? LIMITS.jobAttempts : WEBHOOK_ATTEMPTS,
    backoffInitialMs: tool.orchestration.backoff?.initial_ms ?? LIMITS.jobBackoffInitialMs,
    delivery: tool.delivery,
    origin,
    ...(retries !== "backoff" && { retries }),
    ...(callback !== undefined && { callback }),
    ...(runAt !== undefined && { runAt }),
    ...(!tool.isWrite && { isRead: true as const }),
    ...(tool.added !== undefined && { toolJson: tool.added.json }),
  };
}

/** For every background step, how many come before it. */
function rankBackground({ steps }: Plan): ReadonlyMap<number, number> {
  const background = steps.filter(({ task }) => task.ok && task.value.tool.execution === "fire-and-forget");
  return new Map(background.map(({ index }, rank) => [index, rank]));
}
