import type { CallbackClaim, CallbackEnd } from "../../contract/gate/job.ts";
import { LIMITS } from "../../contract/limits.ts";
import { disableCallback, settleCallback } from "../../state/callback.ts";
import { firstDue, nextDue } from "../../state/due-times.ts";
import { type Job, toEventId, toJobRecord } from "../../state/outbox.ts";
import { GoneEndpoints } from "./gone-endpoints.ts";

export interface CallbackStore {
  /** Load a job, or null when there is none. */
  load(id: string): Job | null;
  /** Save a job, and tell `follow` of this queue. */
  save(job: Job): void;
}

/**
 * The events about finished jobs that are still to be delivered, and when each is due.
 *
 * They are stored in their jobs' rows. Claims are held in memory only: a delivery that a crash cuts off is made again
 * under the same `webhook-id`, which its receiver has to expect of any webhook, and saves a row for every attempt.
 */
export class CallbackQueue {
  readonly #store: CallbackStore;
  readonly #gone: GoneEndpoints;
  readonly #leaseMs: number;
  readonly #due = new Map<string, number>();
  /** Claimed deliveries, and when their claims end. */
  readonly #claimed = new Map<string, number>();

  constructor(sql: SqlStorage, store: CallbackStore, leaseMs: number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#gone = new GoneEndpoints(sql, { forMs: LIMITS.goneEndpointMs, kept: LIMITS.goneEndpoints });
  }

  get size(): number {
    return this.#due.size;
  }

  /** Follow a row: its event is due at that time, or (null) not at all. */
  follow(id: string, dueAt: number | null): void {
    this.#claimed.delete(id);
    if (dueAt === null) this.#due.delete(id);
    else this.#due.set(id, dueAt);
  }

  /** When the next delivery can begin; null when none waits, or too many are under way. */
  nextDue(nowMs: number): number | null {
    this.#expireClaims(nowMs);
    return this.#claimed.size < LIMITS.callbacksAtOnce ? nextDue(this.#due) : null;
  }

  /** Claim the delivery that has been due for longest, or null when none is or too many are under way. */
  claim(nowMs: number): { claim: CallbackClaim; leaseEndsAt: number } | null {
    this.#expireClaims(nowMs);
    if (this.#claimed.size >= LIMITS.callbacksAtOnce) return null;
    for (let id = firstDue(this.#due, nowMs); id !== null; id = firstDue(this.#due, nowMs)) {
      const job = this.#store.load(id);
      if (job === null || job.callback === null || job.callback.dueAt === null) {
        this.follow(id, null);
        continue;
      }
      const { target, attempts } = job.callback;
      if (this.#gone.has(target.url, nowMs)) {
        this.#store.save({ ...job, callback: disableCallback(job.callback) });
        continue;
      }
      const leaseEndsAt = nowMs + this.#leaseMs;
      this.#due.set(id, leaseEndsAt);
      this.#claimed.set(id, leaseEndsAt);
      const eventId = toEventId(job);
      return {
        claim: { jobId: id, eventId, attempt: attempts + 1, target, job: toJobRecord(job) },
        leaseEndsAt,
      };
    }
    return null;
  }

  /** Take an attempt's report, unless the job was redriven or another attempt was settled meanwhile. */
  settle(claim: CallbackClaim, end: CallbackEnd, { nowMs, random }: { nowMs: number; random: number }): void {
    const job = this.#store.load(claim.jobId);
    if (job === null || job.callback === null || toEventId(job) !== claim.eventId) return;
    const [callback, accepted] = settleCallback(job.callback, nowMs, { attempt: claim.attempt, end, random });
    if (!accepted) return;
    if (end.kind === "answered" && end.status === 410) this.#gone.add(claim.target.url, nowMs);
    this.#store.save({ ...job, callback });
  }

  #expireClaims(nowMs: number): void {
    for (const [id, leaseEndsAt] of this.#claimed) if (leaseEndsAt <= nowMs) this.#claimed.delete(id);
  }
}
