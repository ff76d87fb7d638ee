import type { CallbackEnd, CallbackRecord, CallbackStatus, CallbackTarget } from "../contract/gate/job.ts";

/**
 * The delivery of the event about a job's end: a state machine of its own beside the job's.
 *
 * An event is delivered at least once: an attempt whose report is lost is made again. It has at most
 * `CALLBACK_ATTEMPTS` attempts that were reported, so it comes to an end.
 */
export interface Callback {
  readonly target: CallbackTarget;
  readonly status: CallbackStatus;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** HTTP status of the last answer. */
  readonly lastStatus: number | null;
  /** When the next attempt is due; null while the job is alive, and once the delivery is over. */
  readonly dueAt: number | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses before the second attempt and the following ones (Standard Webhooks 1.0.0, "Deliverability and reliability"). */
const PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The first attempt, which is due at once, included. */
export const CALLBACK_ATTEMPTS = PAUSES_MS.length + 1;

/** What jitter adds to a pause at most, as a part of it. */
const JITTER = 0.1;

/** Make the delivery of a job that is alive: pending, and due when the job ends. */
export function makeCallback(target: CallbackTarget): Callback {
  return { target, status: "pending", attempts: 0, lastStatus: null, dueAt: null };
}

/** The job has ended: its event is due now. */
export function startCallback(callback: Callback, nowMs: number): Callback {
  return { ...makeCallback(callback.target), dueAt: nowMs };
}

/**
 * Settle the attempt that was the `attempt`th; false, and the same delivery, when it is over or had that one already.
 *
 * A 2xx delivers, 410 disables (and its endpoint with it), everything else is tried again on the published schedule, no
 * sooner than a `Retry-After` asks.
 * @param command.random uniform in [0, 1), spreads the retries of events that failed together
 */
export function settleCallback(
  callback: Callback,
  nowMs: number,
  command: { attempt: number; end: CallbackEnd; random: number },
): [callback: Callback, accepted: boolean] {
  const { attempt, end, random } = command;
  if (callback.dueAt === null || attempt !== callback.attempts + 1) return [callback, false];
  const lastStatus = end.kind === "answered" ? end.status : null;
  const tried: Callback = { ...callback, attempts: attempt, lastStatus, dueAt: null };
  if (lastStatus !== null && lastStatus >= 200 && lastStatus < 300)
    return [{ ...tried, status: "delivered" }, true];
  if (lastStatus === 410) return [{ ...tried, status: "disabled" }, true];
  const pauseMs = PAUSES_MS[attempt - 1];
  if (pauseMs === undefined) return [{ ...tried, status: "failed" }, true];
  const askedMs = (end.kind === "answered" ? end.retryAfterMs : null) ?? 0;
  const spreadMs = Math.ceil(pauseMs * JITTER * random);
  return [{ ...tried, dueAt: nowMs + Math.max(pauseMs, askedMs) + spreadMs }, true];
}

/** End a delivery whose endpoint wants nothing more. */
export function disableCallback(callback: Callback): Callback {
  return { ...callback, status: "disabled", dueAt: null };
}

/** Translate a delivery to what its caller may see of it. */
export function toCallbackRecord({ status, attempts, lastStatus, dueAt }: Callback): CallbackRecord {
  return { status, attempts, lastStatus, nextAttemptAt: dueAt };
}
