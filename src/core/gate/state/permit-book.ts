import * as LIMITS from "../../contract/limits.ts";
import type { GlobalLimits } from "../../contract/gate/permit.ts";
import { type Bucket, resumeBucket } from "./quota.ts";

/** Everything one tool's gate knows. Times are milliseconds since the epoch. */
export interface PermitBook {
  readonly options: PermitOptions;
  /** As the last question gave them: after a deployment the new contract holds. */
  readonly limits: GlobalLimits;
  /** Granted, and neither given back nor over. Empty when only the rate is limited. */
  readonly live: readonly Permit[];
  /** Who waits, in the order of `dealTurns`. */
  readonly waiting: readonly Waiter[];
  /** The upstream asked everyone to wait until then. */
  readonly pausedUntilMs: number;
  /** Permits of the object's life before this one may be alive until then. */
  readonly recoveredAtMs: number;
  /** The mark in storage: no permit is alive after this. */
  readonly aliveMarkMs: number;
  /** Since when there is no permit; null while there is one. */
  readonly idleSinceMs: number | null;
  readonly bucket: Bucket;
}

export interface Permit {
  readonly id: string;
  readonly grantedAtMs: number;
  readonly endsAtMs: number;
}

export interface Waiter {
  readonly id: string;
  readonly tenant: string;
  readonly askedAtMs: number;
  readonly untilMs: number;
  readonly holdMs: number;
}

/** The durable marks, as a cold start finds them; 0 where there is none. */
export interface PermitMarks {
  readonly aliveMs: number;
  readonly rateMs: number;
}

export interface PermitOptions {
  /** Questions that wait at most. */
  readonly waiters: number;
  /** How far the mark is written ahead of the last permit's end. */
  readonly leadMs: number;
  /** How long there must be no permit before the mark is taken back. */
  readonly idleMs: number;
}

export const PERMIT_OPTIONS: PermitOptions = {
  waiters: LIMITS.permitWaiters,
  leadMs: LIMITS.permitLeadMs,
  idleMs: LIMITS.permitIdleMs,
};

/** No permit lasts longer, whatever was asked for. */
export const LONGEST_HOLD_MS = LIMITS.maxDeadlineMs + LIMITS.permitMarginMs;

/**
 * Open the book after a cold start.
 *
 * The holders of permits were kept in memory only, so no permit is granted until the last that may have been granted is over: the
 * mark says when. A mark further away than a permit can last was written by a clock that was set back since.
 */
export function openPermits(marks: PermitMarks, nowMs: number, options = PERMIT_OPTIONS): PermitBook {
  return {
    options,
    limits: { concurrency: null, rate: null },
    live: [],
    waiting: [],
    pausedUntilMs: 0,
    recoveredAtMs: Math.min(marks.aliveMs, nowMs + LONGEST_HOLD_MS),
    aliveMarkMs: marks.aliveMs,
    idleSinceMs: nowMs,
    bucket: resumeBucket(marks.rateMs),
  };
}
