import type { JobClaim } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";
import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";
import { attempt } from "../../../core/kit/result.ts";
import { BATCH } from "../batch-job.ts";

export interface BatchBacklogs {
  /** Live batches of one key, and of all. */
  readonly keyBacklog: number;
  readonly batchBacklog: number;
}

export const BATCH_BACKLOGS: BatchBacklogs = {
  keyBacklog: LIMITS.keyBatchBacklog,
  batchBacklog: LIMITS.batchBacklog,
};

const BATCHES = "batches";

/** Make the kind of job that a batch in the background is. @param run makes an attempt, and says how it ended to the object itself */
export function createBatchKind(
  { keyBacklog, batchBacklog }: BatchBacklogs,
  run: (claim: JobClaim) => Promise<void>,
): JobKind {
  return {
    name: BATCH,
    lane: { name: BATCHES, places: LIMITS.batchesAtOnce },
    placeOf: () => ({ lane: BATCHES, backlog: BATCHES }),
    // Those of one key with those of another.
    takesTurns: true,
    // It may take longer than what runs after an answer.
    isQueued: true,
    newFirst: true,
    hasRoom: (backlog, { tool }) =>
      backlog.sizeOfGroup(tool) < keyBacklog && backlog.sizeOf(BATCHES) < batchBacklog,
    hasRoomAgain: (backlog) => backlog.sizeOf(BATCHES) < batchBacklog + LIMITS.jobRedrives,
    // A write that was sent at its end is seen through.
    attemptMs: () => LIMITS.batchSliceMs + LIMITS.maxDeadlineMs,
    // The rest of it is done already.
    mayMend: "unless refused",
    // It was counted when it was recorded, and its calls draw from their tools' limits.
    limitOf: () => null,
    async attempt(claim) {
      // One whose end is not reported is left to its lease.
      await attempt(() => run(claim));
      return null;
    },
  };
}
