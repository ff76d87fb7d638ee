import { placeJob } from "../contract/job-shard.ts";
import type { JobSpec } from "../contract/job.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Call, Plan } from "../plan/step.ts";
import type { Ports } from "./ports.ts";

/** Make the job of a background call: of the step at `index` and, in a loop, of one of its elements. */
export type MakeJob = (call: Call, index: number, element?: number) => JobSpec;

export interface MakeJobOptions {
  readonly ports: Pick<Ports, "newId">;
  /** As many of the batch's jobs as its request can try by itself. */
  readonly headerSlots: number;
}

/**
 * Create what makes a batch's jobs, each with an id that says where it is kept. Where that is follows from the job's place
 * in the batch alone, not from the moment at which it is made.
 */
export function createMakeJob(plan: Plan, { ports, headerSlots }: MakeJobOptions): MakeJob {
  let ranks: ReadonlyMap<number, number> | undefined;
  return (call, index, element = 0) => {
    ranks ??= rankBackground(plan);
    // A cap holds within one object, so the jobs of a capped tool stay together.
    const atHome = Number.isFinite(call.tool.concurrency) ? Number.POSITIVE_INFINITY : headerSlots;
    return makeJob(call, placeJob(ports.newId(), { rank: ranks.get(index)! + element, atHome }));
  };
}

/** Make the job of one call. Its id is also its idempotency key, unless a call was made under another. */
export function makeJob({ tool, input, callback }: Call, id: string): JobSpec {
  return {
    id,
    tool: tool.name,
    argsJson: JSON.stringify(input),
    idempotencyKey: id,
    maxAttempts: LIMITS.jobAttempts,
    backoffInitialMs: tool.orchestration.backoff?.initial_ms ?? LIMITS.jobBackoffInitialMs,
    delivery: tool.delivery,
    ...(callback !== undefined && { callback }),
  };
}

/** For every background step, how many come before it. */
function rankBackground({ steps }: Plan): ReadonlyMap<number, number> {
  const background = steps.filter(({ task }) => task.ok && task.value.tool.execution === "fire-and-forget");
  return new Map(background.map(({ index }, rank) => [index, rank]));
}
