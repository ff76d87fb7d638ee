import { makeFailure, toWireFailure, type WireFailure } from "../../contract/failure.ts";
import type { AttemptEnd } from "../../contract/gate/job.ts";
import { utf8Length } from "../../contract/json.ts";
import * as LIMITS from "../../contract/limits.ts";
import { backoffMs } from "../../kit/backoff.ts";
import { webhookPauseMs } from "../../kit/webhook-schedule.ts";
import { endJob, failJob, holds, holdTo, type Job, retryJob, withTry } from "./outbox.ts";

/** When somebody may mend what a job failed at: whatever it was, or unless a service refused it for good. */
export type MayMend = "always" | "unless refused";

/** How an attempt ended, and what decides how its job goes on. */
interface EndOfAttempt {
  readonly end: AttemptEnd;
  /** Uniform in [0, 1), spreads the retries of jobs that failed together. */
  readonly random: number;
  /** When a job of its kind that fails for good can be redriven; never unless said. */
  readonly mayMend?: MayMend | undefined;
}

/**
 * Settle the attempt that holds `fence`; false, and the same job, when the row is not its any more.
 *
 * An attempt that reports after its lease is still believed as long as no other has claimed the job in between.
 */
export function settleJob(
  job: Job,
  nowMs: number,
  command: EndOfAttempt & { readonly fence: number; readonly envelopeJson?: string | undefined },
): [job: Job, accepted: boolean] {
  if (!holds(job, command.fence)) return [job, false];
  const { envelopeJson = job.envelopeJson } = command;
  const { end } = command;
  const ended = endAttempt({ ...job, envelopeJson }, nowMs, command);
  // An attempt that was given back made no call.
  if (ended.attempts < job.attempts) return [ended, true];
  const error = end.kind === "succeeded" ? undefined : "error" in end ? end.error : OVERLOADED;
  const inDoubt = end.inDoubt === true || end.kind === "lost" || end.kind === "unknown";
  const { tries } = withTry(job, nowMs, { error, inDoubt });
  const spec = end.accounts === undefined ? ended.spec : holdTo(ended.spec, { ids: end.accounts });
  return [{ ...ended, spec, log: end.log, tries }, true];
}

const OVERLOADED = toWireFailure(makeFailure("OVERLOADED"));

function endAttempt(job: Job, nowMs: number, { end, random, mayMend }: EndOfAttempt): Job {
  if (end.kind === "succeeded") return succeed(job, nowMs, end);
  if (end.kind === "continued") return retryJob(job, nowMs, { attempts: job.attempts - 1, dueAt: nowMs });
  // Only the recorder's own attempt may be given back uncounted: it happens once, so it cannot go on for ever.
  if (end.kind === "released" && job.fence === 1) return retryJob(job, nowMs, { attempts: 0, dueAt: nowMs });
  const error = end.kind === "released" ? OVERLOADED : end.error;
  const retryAfter = (delayMs: number): Pick<Job, "dueAt" | "errorJson"> => ({
    dueAt: nowMs + delayMs,
    errorJson: JSON.stringify(error),
  });
  // Every claim raises the fence, counted or not, so the waits grow although the attempts do not. No schedule counts from an
  // attempt that was not made.
  const beganAt = Math.max(job.createdAt, job.spec.runAt ?? 0);
  if (end.kind === "deferred" && nowMs - beganAt < LIMITS.jobDeferralMs)
    return retryJob(job, nowMs, {
      attempts: job.attempts - 1,
      ...retryAfter(backoffDelayMs(job, error, { tries: job.fence, random })),
    });
  if (end.kind === "unknown" || (end.kind === "lost" && job.spec.delivery === "at-most-once"))
    return failJob(job, nowMs, { status: "unknown", error });
  // `dead` can be redriven, `failed` cannot: a tool that is gone may come back with the next deployment.
  const isMendable = mayMend === "always" || (mayMend === "unless refused" && !isRefused(error));
  const isDead = isMendable || error.code === "UNKNOWN_TOOL";
  if (end.kind === "failed" && !error.retryable)
    return failJob(job, nowMs, { status: isDead ? "dead" : "failed", error });
  return job.attempts >= job.spec.maxAttempts
    ? failJob(job, nowMs, { status: "dead", error })
    : retryJob(job, nowMs, retryAfter(retryDelayMs(job, error, random)));
}

/** Whether a service has refused it for good: to ask again mends nothing. */
function isRefused({ code, upstream_status: status = 0 }: WireFailure): boolean {
  return code === "NOT_FOUND" || (status >= 400 && status < 500 && !NOT_NOW.has(status));
}

/** Statuses below 500 that a later attempt may not meet again. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429]);

function succeed(
  job: Job,
  nowMs: number,
  { dataJson, keptJson }: AttemptEnd & { readonly kind: "succeeded" },
): Job {
  const bytes = utf8Length(dataJson);
  const kept = bytes <= LIMITS.jobDataBytes;
  const note = `The job succeeded. Its output of ${bytes} bytes was not kept: at most ${LIMITS.jobDataBytes} are.`;
  return endJob(job, nowMs, {
    status: "succeeded",
    errorJson: null,
    dataJson: kept ? dataJson : null,
    keptJson,
    ...(!kept && { note }),
  });
}

/** How long a job waits after an attempt that counts and was not its last. */
function retryDelayMs(job: Job, error: WireFailure, random: number): number {
  const { attempts, spec } = job;
  const askedMs = Math.max(0, error.retry_after_ms ?? 0);
  const pauseMs =
    spec.retries === "standard-webhooks" ? webhookPauseMs({ attempt: attempts, askedMs, random }) : null;
  return pauseMs ?? backoffDelayMs(job, error, { tries: attempts, random });
}

/** Jitter comes on top of what the upstream asked for, or a shared Retry-After would bring everyone back at once. */
function backoffDelayMs(
  { spec }: Job,
  error: WireFailure,
  { tries, random }: { readonly tries: number; readonly random: number },
): number {
  const maxMs = LIMITS.jobBackoffMaxMs;
  const asked = Math.min(Math.max(error.retry_after_ms ?? 0, 0), maxMs);
  const jitter = backoffMs({ attempt: tries, initialMs: spec.backoffInitialMs, maxMs, random });
  return Math.min(maxMs, asked + jitter);
}
