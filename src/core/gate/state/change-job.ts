import { makeFailure, toWireFailure } from "../../contract/failure.ts";
import type { RedriveOptions } from "../../contract/gate/job.ts";
import { leavesInDoubt } from "../../contract/outcome.ts";
import {
  endJob,
  isJobInDoubt,
  isLive,
  type Job,
  makeCallback,
  mayHaveSent,
  retryJob,
  withTry,
} from "./outbox.ts";

/**
 * Cancel a live job; false, and the same job, when it is over.
 *
 * The fence grows, so an attempt under way can no longer report. It cannot be called back either: the note says when
 * something may have taken effect.
 */
export function cancelJob(job: Job, nowMs: number): [job: Job, accepted: boolean] {
  if (!isLive(job.status)) return [job, false];
  const changes = { status: "cancelled", fence: job.fence + 1, note: cancelNote(job) } as const;
  const isUnderWay = job.status === "running" && job.attempts > 0;
  const known = isUnderWay ? withTry(job, nowMs, { error: CANCELLED, inDoubt: mayHaveSent(job) }) : job;
  return [endJob(known, nowMs, changes), true];
}

const CANCELLED = toWireFailure(makeFailure("CANCELLED"));

/**
 * Give a dead job fresh attempts, due at once and under the same idempotency key; false, and the same job, when it is
 * not dead or its record could not be read. One that has failed for good is given them only where that is asked for.
 *
 * An at-most-once job that may have been sent is `unknown`, not `dead`, so none is sent a second time; a version before this one left
 * it dead after a 5xx.
 */
export function redriveJob(
  job: Job,
  nowMs: number,
  { failedToo = false }: RedriveOptions = {},
): [job: Job, accepted: boolean] {
  const isOver = job.status === "dead" || (failedToo && job.status === "failed");
  if (!isOver || job.spec.maxAttempts === 0) return [job, false];
  const mayHaveHappened =
    isJobInDoubt(job) || job.tries.some(({ upstreamStatus = 0 }) => leavesInDoubt(upstreamStatus));
  if (job.spec.delivery === "at-most-once" && mayHaveHappened) return [job, false];
  const redriven = retryJob(job, nowMs, {
    attempts: 0,
    dueAt: nowMs,
    errorJson: null,
    note: `Redriven after ${sayAttempts(job.attempts)}, no longer counted.`,
    callback: job.callback && makeCallback(job.callback.target),
  });
  return [redriven, true];
}

function cancelNote({ status, attempts }: Job): string {
  if (status === "running" && attempts > 0)
    return `Attempt ${attempts} was under way when the job was cancelled. It may have taken effect; its answer is not recorded.`;
  return attempts === 0
    ? "Cancelled before anything was sent."
    : `Cancelled after ${sayAttempts(attempts)} without success. What they sent may have taken effect all the same.`;
}

function sayAttempts(count: number): string {
  return count === 1 ? "1 attempt" : `${count} attempts`;
}
