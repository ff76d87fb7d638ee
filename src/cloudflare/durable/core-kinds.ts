import type { RateLimit } from "../../core/contract/gate/admission.ts";
import type { AttemptEnd, JobClaim, JobSpec } from "../../core/contract/gate/job.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import type { Lane } from "../../core/gate/state/due-index.ts";
import type { JobKind } from "./job-kind.ts";

export interface BacklogOptions {
  /** Live jobs at most, those of features' kinds and webhooks that wait to be sent again not counted. */
  readonly backlog: number;
  /** The same of a shard that is not the tenant's home. */
  readonly shardBacklog: number;
  /** Webhooks that wait to be sent again: for days, so they are many where a receiver is down. */
  readonly webhookBacklog: number;
  /** Live jobs that redriving may add to a full backlog. */
  readonly redrives: number;
}

/** The calls of tools that jobs are. */
export interface CallAttempts {
  readonly attempt: (claim: JobClaim) => Promise<AttemptEnd>;
  /** The tenant's limit of a job's tool, which each attempt draws from; null for none. */
  readonly limitOf: (spec: JobSpec) => RateLimit | null;
}

/** The name of a lane and of a backlog. */
const JOBS = "jobs";
/** The name of a lane. */
export const DELIVERIES = "deliveries";
/** The name of a backlog. */
const WEBHOOKS = "webhooks";

/**
 * Make core's lanes, of which that of deliveries comes first: the events about jobs that are over, and webhooks that are sent
 * again. They take few of the jobs' places, because where receivers are down there are many and each hangs for seconds.
 */
export function makeLanes(concurrency: number, others: readonly Lane[]): readonly Lane[] {
  const deliveries = { name: DELIVERIES, places: LIMITS.callbacksAtOnce, within: JOBS };
  return [deliveries, ...others, { name: JOBS, places: concurrency }];
}

/** Make core's kinds of job: the call of a tool, and the webhook, a call that is sent again for days. */
export function createCoreKinds(
  options: BacklogOptions,
  { attempt, limitOf }: CallAttempts,
): readonly JobKind[] {
  const { backlog: most, shardBacklog, webhookBacklog, redrives } = options;
  const job: JobKind = {
    name: "job",
    placeOf: () => ({ lane: JOBS, backlog: JOBS }),
    hasRoom: (backlog, { queued, others }) => backlog.sizeOf(JOBS) + others < (queued ? shardBacklog : most),
    hasRoomAgain: (backlog) => backlog.sizeOf(JOBS) < most + redrives,
    // It was counted at home when it was admitted, for its first attempt.
    limitOf: ({ spec, fence }) => (fence === 1 ? null : limitOf(spec)),
    attempt,
  };
  const webhook: JobKind = {
    ...job,
    name: "webhook",
    placeOf: (status) =>
      status === "retrying" ? { lane: DELIVERIES, backlog: WEBHOOKS } : { lane: JOBS, backlog: JOBS },
    // It may come to wait, so it needs room there too.
    hasRoom: (backlog, wish) => job.hasRoom(backlog, wish) && backlog.sizeOf(WEBHOOKS) < webhookBacklog,
    hasRoomAgain: (backlog) => backlog.sizeOf(WEBHOOKS) < webhookBacklog + redrives,
  };
  return [job, webhook];
}
