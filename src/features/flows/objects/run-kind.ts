import type { RateLimit } from "../../../core/contract/gate/admission.ts";
import type { JobClaim, JobSpec } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";
import { attempt } from "../../../core/kit/result.ts";
import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";

export interface RunBacklogs {
  /** Live runs of one flow, and of all. */
  readonly flowBacklog: number;
  readonly runBacklog: number;
  /** Live runs of a flow that redriving may add to a full backlog. */
  readonly redrives: number;
}

/** The backlogs of a deployment. */
export const RUN_BACKLOGS: RunBacklogs = {
  flowBacklog: LIMITS.flowBacklog,
  runBacklog: LIMITS.runBacklog,
  redrives: LIMITS.jobRedrives,
};

/** The attempts of runs. */
export interface RunAttempts {
  /** Make one attempt of a run, and say how it ended to the object itself. */
  readonly run: (claim: JobClaim) => Promise<void>;
  /** The tenant's limit of all runs, which each attempt draws from; null for none. */
  readonly runLimit: (spec: JobSpec) => RateLimit | null;
}

const RUNS = "runs";

/** Make the kind of job that a run of a flow is. */
export function createRunKind(
  { flowBacklog, runBacklog, redrives }: RunBacklogs,
  { run, runLimit }: RunAttempts,
): JobKind {
  return {
    name: "run",
    // All runs wait for the same limit: else each of thousands would be looked at whenever one may begin.
    lane: { name: RUNS, places: LIMITS.runsAtOnce, waitsTogether: true },
    placeOf: () => ({ lane: RUNS, backlog: RUNS }),
    takesTurns: true,
    hasRoom: (backlog, { tool }) =>
      backlog.sizeOfGroup(tool) < flowBacklog && backlog.sizeOf(RUNS) < runBacklog,
    hasRoomAgain: (backlog, tool) => backlog.sizeOfGroup(tool) < flowBacklog + redrives,
    // The time of its flow.
    attemptMs: (spec) => spec.run?.deadlineMs ?? 0,
    // The rest of it is done already.
    mayMend: "unless refused",
    limitOf: ({ spec }) => runLimit(spec),
    async attempt(claim) {
      // A run whose end is not reported is left to its lease.
      await attempt(() => run(claim));
      return null;
    },
  };
}
