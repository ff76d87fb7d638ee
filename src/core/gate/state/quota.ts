import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type KeyQuota,
  type QuotaState,
  type RateLimit,
} from "../../contract/gate/admission.ts";
import { limitsOf } from "./lease.ts";
import { decideGcra, type GcraDecision, gcraIntervalMs } from "../../kit/gcra.ts";

/** One bucket: its theoretical arrival time, and the durable mark that the time has not passed. Milliseconds. */
export interface Bucket {
  readonly tatMs: number;
  /** The mark in storage, a whole number, never below `tatMs`; a cold start resumes from here. */
  readonly markMs: number;
}

/** How the buckets begin that say when a key was used; they are not forgotten. */
export const USED = "used";

/** Every bucket in memory. One that is missing starts at `floorMs`. */
export interface QuotaBook {
  /** No forgotten bucket's mark was later than this, so a clock set back cannot give a forgotten debt away. */
  readonly floorMs: number;
  readonly buckets: ReadonlyMap<string, Bucket>;
}

export interface BucketChange extends Bucket {
  readonly bucket: string;
  /** The mark moved: write it before the answer leaves. */
  readonly persist: boolean;
}

export type QuotaCommand = Pick<AdmissionRequest, "quota" | "draws">;
export type QuotaResult = Pick<AdmissionAnswer, "quota" | "denied">;

/**
 * Count one batch: the caller's quota first, with those of the keys above it, then every draw in order; a denied quota counts
 * nothing at all.
 *
 * The new state comes back as the buckets that changed, because copying the whole book for each request would cost
 * more than the request. Within a batch the k-th denied draw of a bucket is told to wait for k slots, so every one of
 * them succeeds when it comes back at its own time.
 *
 * A mark is written only when the TAT passes it, and then with a lead of max(T, window / 20), so a busy bucket costs
 * about twenty rows a window at most. The mark is never below the TAT, so what a cold start resumes from may admit
 * less than the truth by up to the lead, and never more.
 */
export function drawQuota(
  book: QuotaBook,
  nowMs: number,
  { quota, draws }: QuotaCommand,
): [changes: readonly BucketChange[], result: QuotaResult] {
  const changes: BucketChange[] = [];
  let state: QuotaState | null = null;
  if (quota !== null) {
    state = joinStates(
      limitsOf(quota).map((limit) => toState(draw(book, changes, { nowMs, limit, ahead: 0 }), limit)),
    );
    // A refused request is not counted at a key above it either, even if that one allowed it.
    if (!state.allowed) return [[], { quota: state, denied: [] }];
  }
  if (draws.length === 0) return [changes, { quota: state, denied: [] }];

  const denied: { index: number; retryAfterMs: number }[] = [];
  const waiting = new Map<string, number>();
  for (const { index, limit } of draws) {
    const ahead = waiting.get(limit.bucket) ?? 0;
    const { allowed, retryAfterMs } = draw(book, changes, { nowMs, limit, ahead });
    if (allowed) continue;
    waiting.set(limit.bucket, ahead + 1);
    denied.push({ index, retryAfterMs });
  }
  return [changes, { quota: state, denied }];
}

/** Say what is left of a quota, without counting anything. */
export function peekQuota(
  { floorMs, buckets }: QuotaBook,
  nowMs: number,
  quota: KeyQuota,
): Pick<QuotaState, "remaining" | "resetMs"> {
  const states = limitsOf(quota).map((limit) => {
    const tatMs = buckets.get(limit.bucket)?.tatMs ?? floorMs;
    return toState(decideGcra(tatMs, nowMs, { ...limit, count: 0 }), limit);
  });
  const { remaining, resetMs } = joinStates(states);
  return { remaining, resetMs };
}

/** Say of several limits, at least one, what is left of all together; where some are used up, the one that lasts longest. */
export function joinStates(states: readonly QuotaState[]): QuotaState {
  const denied = states.filter(({ allowed }) => !allowed);
  if (denied.length > 0) return denied.reduce((a, b) => (b.retryAfterMs > a.retryAfterMs ? b : a));
  return states.reduce((a, b) => ({
    allowed: true,
    remaining: Math.min(a.remaining, b.remaining),
    resetMs: Math.max(a.resetMs, b.resetMs),
    retryAfterMs: Math.max(a.retryAfterMs, b.retryAfterMs),
  }));
}

function toState({ allowed, remaining, resetMs, retryAfterMs }: GcraDecision, limit: RateLimit): QuotaState {
  return { allowed, remaining, resetMs, retryAfterMs, ...(!allowed && { usedUp: limit.bucket }) };
}

/** Resume a bucket from its durable mark: as if everything up to the mark had been drawn. */
export function resumeBucket(markMs: number): Bucket {
  return { tatMs: markMs, markMs };
}

/**
 * Find the buckets that may be forgotten, in memory and in storage, and the floor that replaces them.
 *
 * A bucket whose mark has passed owes nothing and equals a fresh one. The floor must be durable before or with the
 * removal of the rows: it is what keeps the TAT of a forgotten bucket from ever going down.
 */
export function expireBuckets(book: QuotaBook, nowMs: number): { expired: string[]; floorMs: number } {
  const expired: string[] = [];
  let floorMs = book.floorMs;
  for (const [bucket, { markMs }] of book.buckets) {
    if (markMs > nowMs || bucket.startsWith(USED)) continue;
    expired.push(bucket);
    floorMs = Math.max(floorMs, markMs);
  }
  return { expired, floorMs };
}

function draw(
  book: QuotaBook,
  changes: BucketChange[],
  { nowMs, limit, ahead }: { readonly nowMs: number; readonly limit: RateLimit; readonly ahead: number },
): GcraDecision {
  const changed = changes.findIndex(({ bucket }) => bucket === limit.bucket);
  const kept = changes[changed] ?? book.buckets.get(limit.bucket);
  const decision = decideGcra(kept?.tatMs ?? book.floorMs, nowMs, { ...limit, ahead });
  if (!decision.allowed) return decision;

  const persist = changes[changed]?.persist ?? false;
  const change = advanceBucket(limit, { tatMs: decision.tatMs, markMs: kept?.markMs ?? 0, persist });
  if (changed === -1) changes.push(change);
  else changes[changed] = change;
  return decision;
}

/** Move a bucket to a later TAT, and its mark ahead of it when the TAT passes the mark. */
export function advanceBucket(
  limit: RateLimit,
  { tatMs, markMs, persist }: Omit<BucketChange, "bucket">,
): BucketChange {
  const { bucket, windowS } = limit;
  if (tatMs <= markMs) return { bucket, tatMs, markMs, persist };
  const leadMs = Math.max(gcraIntervalMs(limit), (windowS * 1000) / 20);
  return { bucket, tatMs, markMs: Math.ceil(tatMs + leadMs), persist: true };
}
