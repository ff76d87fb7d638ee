import type { CallbackClaim, CallbackEnd } from "../../contract/gate/job.ts";
import { webhookPauseMs } from "../../kit/webhook-schedule.ts";
import { type Callback, isLive, type Job, toEventId, toJobRecord } from "./outbox.ts";

/**
 * Claim the next attempt to deliver the event about a job's end; null when none is due.
 *
 * The job stays as it is: an attempt that a crash cuts off is made again under the same `webhook-id`, which its receiver
 * has to expect of any webhook, and no row is written for it.
 */
export function claimCallback(job: Job, nowMs: number): CallbackClaim | null {
  const { callback, dueAt } = job;
  if (isLive(job.status) || callback === null || dueAt === null || dueAt > nowMs) return null;
  const batch = job.spec.origin?.callback;
  return {
    jobId: job.spec.id,
    eventId: toEventId(job),
    attempt: callback.attempts + 1,
    target: callback.target,
    also: batch?.url === callback.target.url ? undefined : batch,
    job: toJobRecord(job),
  };
}

/**
 * Settle an attempt; false, and the same job, when the delivery is over, had that attempt already, or is of another end of
 * the job, which was redriven meanwhile.
 *
 * A 2xx delivers, 410 disables (and its address with it), everything else is tried again on the published schedule, no
 * sooner than a `Retry-After` asks. At most `WEBHOOK_ATTEMPTS` are reported, so it comes to an end.
 * @param command.random uniform in [0, 1), spreads the retries of events that failed together
 */
export function settleCallback(
  job: Job,
  nowMs: number,
  command: { claim: Pick<CallbackClaim, "eventId" | "attempt">; end: CallbackEnd; random: number },
): [job: Job, accepted: boolean] {
  const { claim, end, random } = command;
  const { attempt } = claim;
  if (isLive(job.status) || job.callback === null || job.dueAt === null) return [job, false];
  if (claim.eventId !== toEventId(job) || attempt !== job.callback.attempts + 1) return [job, false];
  const lastStatus = end.kind === "answered" ? end.status : null;
  const tried: Callback = { ...job.callback, attempts: attempt, lastStatus };
  const decided = decideDelivery(attempt, end, random);
  return decided.kind === "again"
    ? [{ ...job, callback: tried, dueAt: nowMs + decided.pauseMs }, true]
    : [endCallback(job, { ...tried, status: decided.kind }), true];
}

/** The result of an attempt to deliver: the delivery is over, or there is another attempt after a pause. */
export type DeliveryDecision =
  | { readonly kind: "delivered" | "disabled" | "failed" }
  | { readonly kind: "again"; readonly pauseMs: number };

/**
 * Decide what comes of an attempt to deliver an event: a 2xx delivers, 410 disables, everything else is tried again on the
 * published schedule, no sooner than a `Retry-After` asks, until its attempts are used up.
 *
 * @param attempt how many there were with this one
 * @param random uniform in [0, 1)
 */
export function decideDelivery(attempt: number, end: CallbackEnd, random: number): DeliveryDecision {
  const answered = end.kind === "answered" ? end : { status: 0, retryAfterMs: null };
  if (answered.status >= 200 && answered.status < 300) return { kind: "delivered" };
  if (answered.status === 410) return { kind: "disabled" };
  const pauseMs = webhookPauseMs({ attempt, askedMs: answered.retryAfterMs ?? 0, random });
  return pauseMs === null ? { kind: "failed" } : { kind: "again", pauseMs };
}

/** End the delivery to an address that wants nothing more. */
export function disableCallback(job: Job): Job {
  return job.callback === null ? job : endCallback(job, { ...job.callback, status: "disabled" });
}

function endCallback(job: Job, callback: Callback): Job {
  return { ...job, callback, dueAt: null };
}
