import { makeFailure, toWireFailure, type WireFailure } from "../contract/failure.ts";
import type {
  AttemptEnd,
  CallbackStatus,
  CallbackTarget,
  JobClaim,
  JobRecord,
  JobSpec,
  JobStatus,
} from "../contract/gate/job.ts";
import { LIMITS } from "../contract/limits.ts";
import { backoffMs } from "../kit/backoff.ts";
import { attemptNow } from "../kit/result.ts";

/** One row of the outbox: a job and, once that is over, the delivery of the event about its end. Times are milliseconds since the epoch. */
export interface Job {
  readonly spec: Omit<JobSpec, "callback">;
  readonly status: JobStatus;
  /** Attempts begun, the one that is running included: counted before they run, so a crash cannot hide one. */
  readonly attempts: number;
  /** Grows with every claim. Whoever holds an older one may not change the row any more. */
  readonly fence: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /**
   * When something is to be done about it. Running: the lease ends. Retrying: the next attempt may begin. Over: the event
   * about its end is to be delivered. Null when nothing is left to do, so never for a job that is alive.
   */
  readonly dueAt: number | null;
  readonly dataJson: string | null;
  readonly errorJson: string | null;
  readonly note: string | null;
  /** Null when nobody asked to be told of the job's end. */
  readonly callback: Callback | null;
}

/** The delivery of the event about a job's end: `pending`, and with no attempt, as long as the job is alive. */
export interface Callback {
  readonly target: CallbackTarget;
  readonly status: CallbackStatus;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** HTTP status of the last answer. */
  readonly lastStatus: number | null;
}

/** Whether a job of this status gets another attempt, or has one under way; the others are over. */
export function isLive(status: string): boolean {
  return status === "running" || status === "retrying";
}

/** Record a job as already running its first attempt, which its recorder makes. */
export function recordJob(
  { callback, ...spec }: JobSpec,
  nowMs: number,
  { leaseMs }: { leaseMs: number },
): Job {
  return {
    spec,
    status: "running",
    attempts: 1,
    fence: 1,
    createdAt: nowMs,
    updatedAt: nowMs,
    dueAt: nowMs + leaseMs,
    dataJson: null,
    errorJson: null,
    note: null,
    callback: callback === undefined ? null : makeCallback(callback),
  };
}

/** Record a job whose first attempt is due at once, for whoever claims it. */
export function queueJob(spec: JobSpec, nowMs: number): Job {
  return { ...recordJob(spec, nowMs, { leaseMs: 0 }), attempts: 0, fence: 0 };
}

/**
 * Claim the next attempt of a job that is due: its lease ran out, or its retry has come.
 *
 * Save the returned job before running the claim. There is no claim (null) when the job is final or not due yet, and
 * when it just ended: an at-most-once attempt that never reported leaves `unknown`, because a second one could act
 * twice; a job without attempts left is `dead`.
 */
export function claimJob(
  job: Job,
  nowMs: number,
  { leaseMs }: { leaseMs: number },
): [job: Job, claim: JobClaim | null] {
  if (!isLive(job.status) || job.dueAt === null || job.dueAt > nowMs) return [job, null];
  // Attempts are counted before they run: without one, nothing was sent.
  if (job.status === "running" && job.attempts > 0 && job.spec.delivery === "at-most-once") {
    return [finish(job, nowMs, { status: "unknown", error: unreported(job) }), null];
  }
  if (job.attempts >= job.spec.maxAttempts) {
    return [finish(job, nowMs, { status: "dead", error: unreported(job) }), null];
  }
  if (!attemptNow(() => JSON.parse(job.spec.argsJson)).ok) {
    return [buryJob(job, nowMs, "The job's recorded arguments cannot be read, so it was not run."), null];
  }
  const attempt = job.attempts + 1;
  const fence = job.fence + 1;
  const claimed: Job = {
    ...job,
    status: "running",
    attempts: attempt,
    fence,
    updatedAt: nowMs,
    dueAt: nowMs + leaseMs,
  };
  return [claimed, { spec: job.spec, attempt, fence }];
}

/**
 * Settle the attempt that holds `fence`; false, and the same job, when the row is not its any more.
 *
 * An attempt that reports after its lease is still believed as long as nobody claimed the job in between.
 * @param command.random uniform in [0, 1), spreads the retries of jobs that failed together
 */
export function settleJob(
  job: Job,
  nowMs: number,
  command: { fence: number; end: AttemptEnd; random: number },
): [job: Job, accepted: boolean] {
  const { fence, end, random } = command;
  if (job.status !== "running" || job.fence !== fence) return [job, false];
  if (end.kind === "succeeded") return [succeed(job, nowMs, end.dataJson), true];
  // Only the recorder's own attempt may be given back uncounted: it happens once, so it cannot go on for ever.
  if (end.kind === "released" && job.fence === 1)
    return [{ ...job, status: "retrying", attempts: 0, updatedAt: nowMs, dueAt: nowMs }, true];
  if (end.kind === "deferred" && nowMs - job.createdAt < LIMITS.jobDeferralMs) {
    // Every claim raises the fence, counted or not, so the waits grow although the attempts do not.
    const dueAt = nowMs + retryDelayMs(job, end.error, { tries: job.fence, random });
    return [
      {
        ...job,
        status: "retrying",
        attempts: job.attempts - 1,
        updatedAt: nowMs,
        dueAt,
        errorJson: JSON.stringify(end.error),
      },
      true,
    ];
  }
  const error = end.kind === "released" ? toWireFailure(makeFailure("OVERLOADED")) : end.error;
  if (end.kind === "lost" && job.spec.delivery === "at-most-once")
    return [finish(job, nowMs, { status: "unknown", error }), true];
  if (end.kind === "failed" && !error.retryable) {
    // A tool that is gone may come back with the next deployment: `dead` can be redriven, `failed` cannot.
    const status = error.code === "UNKNOWN_TOOL" ? "dead" : "failed";
    return [finish(job, nowMs, { status, error }), true];
  }
  if (job.attempts >= job.spec.maxAttempts) return [finish(job, nowMs, { status: "dead", error }), true];
  const retry: Job = {
    ...job,
    status: "retrying",
    updatedAt: nowMs,
    dueAt: nowMs + retryDelayMs(job, error, { tries: job.attempts, random }),
    errorJson: JSON.stringify(error),
  };
  return [retry, true];
}

/** Bury a job that cannot be run at all; the hint says why. */
export function buryJob(job: Job, nowMs: number, hint: string): Job {
  const error = toWireFailure(makeFailure("INTERNAL", { retryable: false, hint }));
  return finish(job, nowMs, { status: "dead", error });
}

/** The id of the event about a job's end: the same however often it is sent, another one after a redrive. */
export function toEventId({ spec, fence }: Job): string {
  return `${spec.id}-${fence}`;
}

/** Translate a row to what its caller may see of it. */
export function toJobRecord(job: Job): JobRecord {
  const { spec, fence: _, dueAt, callback, ...shown } = job;
  return {
    ...shown,
    id: spec.id,
    tool: spec.tool,
    nextAttemptAt: job.status === "retrying" ? dueAt : null,
    callback: callback && {
      status: callback.status,
      attempts: callback.attempts,
      lastStatus: callback.lastStatus,
      nextAttemptAt: isLive(job.status) ? null : dueAt,
    },
  };
}

function succeed(job: Job, nowMs: number, dataJson: string): Job {
  const bytes = utf8Length(dataJson);
  const done = { ...job, ...overAt(job, nowMs), status: "succeeded", errorJson: null } as const;
  if (bytes <= LIMITS.jobDataBytes) return { ...done, dataJson };
  const note = `The job succeeded. Its output of ${bytes} bytes was not kept: at most ${LIMITS.jobDataBytes} are.`;
  return { ...done, dataJson: null, note };
}

function finish(job: Job, nowMs: number, end: { status: JobStatus; error: WireFailure }): Job {
  return {
    ...job,
    ...overAt(job, nowMs),
    status: end.status,
    dataJson: null,
    errorJson: JSON.stringify(end.error),
  };
}

/** What every end of a job has in common: nothing is due any more but the event about it, at once. */
export function overAt({ callback }: Job, nowMs: number): Pick<Job, "updatedAt" | "dueAt" | "callback"> {
  return {
    updatedAt: nowMs,
    dueAt: callback === null ? null : nowMs,
    callback: callback && makeCallback(callback.target),
  };
}

export function makeCallback(target: CallbackTarget): Callback {
  return { target, status: "pending", attempts: 0, lastStatus: null };
}

function unreported(job: Job): WireFailure {
  const hint =
    job.spec.delivery === "at-most-once"
      ? `Attempt ${job.attempts} ended without a report. It may have taken effect: check before asking again.`
      : `Attempt ${job.attempts} of ${job.spec.maxAttempts} ended without a report, and none is left.`;
  return toWireFailure(makeFailure("INTERNAL", { retryable: false, hint }));
}

/** Jitter comes on top of what the upstream asked for, or a shared Retry-After would bring everyone back at once. */
function retryDelayMs(
  { spec }: Job,
  error: WireFailure,
  { tries, random }: { readonly tries: number; readonly random: number },
): number {
  const maxMs = LIMITS.jobBackoffMaxMs;
  const asked = Math.min(Math.max(error.retry_after_ms ?? 0, 0), maxMs);
  const jitter = backoffMs({ attempt: tries, initialMs: spec.backoffInitialMs, maxMs, random });
  return Math.min(maxMs, asked + jitter);
}

function utf8Length(text: string): number {
  // A UTF-16 unit is at most three bytes: most outputs need no encoding to be measured.
  return text.length * 3 <= LIMITS.jobDataBytes ? text.length : new TextEncoder().encode(text).byteLength;
}
