import { makeFailure, toWireFailure, type WireFailure } from "../../contract/failure.ts";
import type { Account } from "../../contract/gate/caller.ts";
import type {
  AttemptEnd,
  CallbackStatus,
  CallbackTarget,
  JobClaim,
  JobRecord,
  JobSpec,
  JobStatus,
} from "../../contract/gate/job.ts";
import * as LIMITS from "../../contract/limits.ts";
import { attemptNow } from "../../kit/result.ts";

/** The fields of a job that are told of it as they are kept. */
type Told = "status" | "tries" | "createdAt" | "updatedAt" | "dataJson" | "errorJson" | "note";

/** One row of the outbox: a job and, once that is over, the delivery of the event about its end. Times are milliseconds since the epoch. */
export interface Job extends Pick<JobRecord, Told> {
  readonly spec: Omit<JobSpec, "callback">;
  /** Attempts begun, the one that is running included: counted before they run, so a crash cannot hide one. */
  readonly attempts: number;
  /** Grows with every claim. The holder of an older one may not change the row any more. */
  readonly fence: number;
  /**
   * When something is to be done about it. Running: the lease ends. Retrying: the next attempt may begin. Over: the event
   * about its end is to be delivered. Null when nothing is left to do, so never for a job that is alive.
   */
  readonly dueAt: number | null;
  /** For a run: the envelope of its last attempt that has ended. */
  readonly envelopeJson: string | null;
  /** Null when the caller asked for no callback. */
  readonly callback: Callback | null;
  /** The object's parts hear these in the turn of its end, and of each attempt's; no row has them. */
  readonly keptJson?: string | undefined;
  readonly log?: AttemptEnd["log"];
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

/**
 * Record a job as already running its first attempt, which its recorder makes; one that is not to begin yet waits for the
 * alarm, with no attempt made.
 */
export function recordJob({ callback, ...spec }: JobSpec, nowMs: number, leaseMs: number): Job {
  const job: Job = {
    spec,
    status: "running",
    attempts: 1,
    tries: [],
    fence: 1,
    createdAt: nowMs,
    updatedAt: nowMs,
    dueAt: nowMs + leaseMs,
    dataJson: null,
    errorJson: null,
    note: null,
    envelopeJson: null,
    callback: callback === undefined ? null : makeCallback(callback),
  };
  const { runAt = 0 } = spec;
  return runAt > nowMs ? retryJob(job, nowMs, { attempts: 0, fence: 0, dueAt: runAt }) : job;
}

/** Record a job whose first attempt is due at once, for the first worker that claims it. */
export function queueJob(spec: JobSpec, nowMs: number): Job {
  const job = recordJob(spec, nowMs, 0);
  return job.status === "retrying" ? job : { ...job, attempts: 0, fence: 0, dueAt: nowMs };
}

/**
 * Claim the next attempt of a job that is due: its lease ran out, or its retry has come.
 *
 * Save the returned job before running the claim. There is no claim (null) when the job is final or not due yet, and
 * when it just ended: an at-most-once attempt that never reported leaves `unknown`, because a second one could act
 * twice; a job without attempts left is `dead`.
 */
export function claimJob(before: Job, nowMs: number, leaseMs: number): [job: Job, claim: JobClaim | null] {
  if (!isLive(before.status) || before.dueAt === null || before.dueAt > nowMs) return [before, null];
  // Attempts are counted before they run: without one, nothing was sent.
  const isLost = before.status === "running" && before.attempts > 0;
  const lost = { error: unreported(before), inDoubt: mayHaveSent(before) };
  const job = isLost ? withTry(before, before.dueAt, lost) : before;
  if (isLost && job.spec.delivery === "at-most-once")
    return [failJob(job, nowMs, { status: "unknown", error: unreported(job) }), null];
  if (job.attempts >= job.spec.maxAttempts)
    return [failJob(job, nowMs, { status: "dead", error: unreported(job) }), null];
  if (!attemptNow(() => JSON.parse(job.spec.argsJson)).ok) {
    return [buryJob(job, nowMs, "The job's recorded arguments cannot be read, so it was not run."), null];
  }
  const [attempts, fence] = [job.attempts + 1, job.fence + 1];
  const spec = isLost ? holdTo(job.spec, { usedAt: before.updatedAt }) : job.spec;
  const times = { updatedAt: nowMs, dueAt: nowMs + leaseMs };
  return [
    { ...job, spec, status: "running", attempts, fence, ...times },
    { spec, attempt: attempts, fence },
  ];
}

/**
 * Have later attempts use the accounts in which an earlier one may have done something: in another one it would be done twice. An
 * account to which it is held already stays.
 */
export function holdTo(spec: JobSpec, used: Pick<Account, "ids" | "usedAt">): JobSpec {
  const { origin } = spec;
  if (origin?.account === undefined) return spec;
  const { account } = origin;
  const ids = used.ids && { ids: { ...used.ids, ...account.ids } };
  return { ...spec, origin: { ...origin, account: { ...used, ...account, ...ids } } };
}

/** Add the attempt that a running job has made, which began when its row was last changed. */
export function withTry(
  job: Job,
  endedAt: number,
  { error, inDoubt }: { readonly error: WireFailure | undefined; readonly inDoubt: boolean },
): Job {
  const made = {
    at: job.updatedAt,
    durationMs: Math.max(0, endedAt - job.updatedAt),
    ...(error !== undefined && { code: error.code, upstreamStatus: error.upstream_status }),
    ...(inDoubt && { inDoubt }),
  };
  return { ...job, tries: [...job.tries, made].slice(-LIMITS.jobTries) };
}

/** Whether an attempt of a job that does not report may have sent a write. A job of many writes knows of each of them by itself. */
export function mayHaveSent(job: Pick<Job, "spec">): boolean {
  return isCall(job) && job.spec.isRead !== true;
}

/** Whether a job is the call of one action. The others are runs of many, or tell somebody of one. */
export function isCall({ spec: { kind, run } }: Pick<Job, "spec">): boolean {
  return kind === undefined && run === undefined;
}

/** Whether a job that has not succeeded may have taken effect, by any of its attempts: a later one that was refused proves nothing of those. */
export function isJobInDoubt({ status, tries }: Pick<Job, "status" | "tries">): boolean {
  return status === "unknown" || (status !== "succeeded" && tries.some(({ inDoubt }) => inDoubt === true));
}

/** Whether an attempt's fence is still the row's, and the job is running. */
export function holds(job: Pick<Job, "status" | "fence">, fence: number): boolean {
  return job.status === "running" && job.fence === fence;
}

/** Bury a job that cannot be run at all; the hint says why. */
export function buryJob(job: Job, nowMs: number, hint: string): Job {
  const error = toWireFailure(makeFailure("INTERNAL", { retryable: false, hint }));
  return failJob(job, nowMs, { status: "dead", error });
}

/** The id of the event about a job's end: the same however often it is sent, another one after a redrive. */
export function toEventId({ spec, fence }: Job): string {
  return `${spec.id}-${fence}`;
}

/** Translate a row to what its caller may see of it. */
export function toJobRecord(job: Job): JobRecord {
  const { spec, fence: _, keptJson: __, log: ___, dueAt, callback, envelopeJson, ...shown } = job;
  const couldBeginAt = Math.max(job.createdAt, spec.runAt ?? 0);
  const trigger = spec.run?.trigger;
  return {
    ...shown,
    inDoubt: isJobInDoubt(job) ? true : undefined,
    durationMs: isLive(job.status) ? undefined : Math.max(0, job.updatedAt - couldBeginAt),
    id: spec.id,
    tool: spec.tool,
    batchId: spec.origin?.batchId,
    requestId: spec.origin?.requestId,
    // No key asked for what a trigger started.
    key: trigger === undefined ? spec.origin?.key : undefined,
    subject: spec.origin?.account?.subject,
    accounts: spec.origin?.account?.ids,
    trigger,
    tags: spec.tags,
    keepsTool: spec.toolJson !== undefined,
    argsJson: spec.argsJson === "" ? undefined : spec.argsJson,
    envelopeJson: envelopeJson ?? undefined,
    nextAttemptAt: job.status === "retrying" ? dueAt : null,
    callback: callback && {
      status: callback.status,
      attempts: callback.attempts,
      lastStatus: callback.lastStatus,
      nextAttemptAt: isLive(job.status) ? null : dueAt,
    },
  };
}

/** End a job that has not succeeded. */
export function failJob(
  job: Job,
  nowMs: number,
  { status, error }: { status: JobStatus; error: WireFailure },
): Job {
  return endJob(job, nowMs, { status, dataJson: null, errorJson: JSON.stringify(error) });
}

/** End a job: nothing is due any more but the event about it, at once. */
export function endJob(job: Job, nowMs: number, changes: Partial<Job>): Job {
  const callback = job.callback && makeCallback(job.callback.target);
  return { ...job, ...changes, updatedAt: nowMs, callback, dueAt: callback && nowMs };
}

/** Let a job have another attempt. */
export function retryJob(job: Job, nowMs: number, changes: Partial<Job>): Job {
  return { ...job, status: "retrying", updatedAt: nowMs, ...changes };
}

/** Make the delivery of an event of which nothing was sent yet. */
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
