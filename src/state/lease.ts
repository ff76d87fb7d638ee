import type { LeaseGrant, LeaseWish, QuotaState, RateLimit } from "../contract/gate/admission.ts";
import { LIMITS } from "../contract/limits.ts";
import { leaseMsOf } from "./grant-leases.ts";

/** Tokens of a block that are left, and the last moment they may be used, by the clock that its request was sent by. */
export interface Lease {
  readonly tokens: number;
  readonly endsAt: number;
  /** What it began with. */
  readonly granted: number;
}

/** One bucket as an isolate sees it. */
export interface LeasedBucket {
  /** The one that ends first comes first. */
  readonly leases: readonly Lease[];
  /** What the gate last said it had left beside them. */
  readonly remaining: number;
  readonly resetMs: number;
  /** Draws of the current slot of time, and of the one before it. */
  readonly slot: number;
  readonly count: number;
  readonly before: number;
  /** No wish before this time: one is under way, or was refused just now. */
  readonly quietUntil: number;
}

/** What one isolate holds of one tenant's quota. */
export interface LeaseBook {
  /** The latest time that was seen. */
  readonly seenMs: number;
  readonly buckets: ReadonlyMap<string, LeasedBucket>;
}

/** Buckets that changed; `clear` means that all others are gone. */
export interface LeaseChanges {
  readonly seenMs: number;
  readonly clear: boolean;
  readonly buckets: ReadonlyMap<string, LeasedBucket>;
}

export interface LeaseDrawn {
  /** Every draw was taken from a lease. If not, none was. */
  readonly covered: boolean;
  /** Leases to ask for now, in this request's round trip or behind it. */
  readonly wishes: readonly LeaseWish[];
}

/** Demand is measured in slots of this length: long enough to tell being busy from one burst, short enough to follow. */
const SLOT_MS = 200;

/** After a refusal: quota does not come back faster than this. */
const REFUSED_MS = 500;

/** After a lease of which most was lost, no wish for so many times its length: that demand was not one for leases. */
const WASTED_LEASES = 10;

/** An answer that did not come by then never will: nothing relies on hearing of it. */
const ASKED_MS = 2 * LIMITS.admissionTimeoutMs;

const NONE: LeasedBucket = {
  leases: [],
  remaining: 0,
  resetMs: 0,
  slot: 0,
  count: 0,
  before: 0,
  quietUntil: 0,
};

/**
 * Draw one token for each of some limits from the leases that an isolate holds, all of it or nothing, and say which
 * leases to ask for.
 *
 * Asked for is what the demand of the slot before would use in half a lease, as soon as the leases at hand would last less
 * than a quarter of one. So whoever sends a request now and then never holds a lease, and one that is held is nearly used
 * up when it ends.
 *
 * A clock that shows an earlier time than before was set back: by how much nobody knows, so every lease is dropped.
 *
 * @param draws one token each; the same bucket may be named more than once
 */
export function drawLeases(
  book: LeaseBook,
  nowMs: number,
  draws: readonly RateLimit[],
): [changes: LeaseChanges, result: LeaseDrawn] {
  const setBack = nowMs < book.seenMs;
  const buckets = new Map<string, LeasedBucket>();
  const changes: LeaseChanges = { seenMs: nowMs, clear: setBack, buckets };
  // One that is never leased has to be drawn at the gate, and the others with it.
  if (draws.some(({ limit }) => limit < LIMITS.leaseLeastLimit))
    return [changes, { covered: false, wishes: [] }];

  const asked = new Map<string, { limit: RateLimit; count: number }>();
  for (const limit of draws) {
    const known = asked.get(limit.bucket);
    if (known === undefined) asked.set(limit.bucket, { limit, count: 1 });
    else known.count += 1;
  }
  let covered = true;
  for (const [name, { limit, count }] of asked) {
    const kept = setBack ? NONE : (book.buckets.get(name) ?? NONE);
    const bucket = countDemand(withoutEnded(kept, nowMs, limit), nowMs, count);
    buckets.set(name, bucket);
    covered &&= tokensOf(bucket.leases) >= count;
  }
  const wishes: LeaseWish[] = [];
  for (const [name, { limit, count }] of asked) {
    let bucket = buckets.get(name)!;
    if (covered) bucket = { ...bucket, leases: spendTokens(bucket.leases, count) };
    const tokens = wishOf(bucket, nowMs, limit);
    if (tokens > 0) {
      wishes.push({ limit, tokens });
      bucket = { ...bucket, quietUntil: nowMs + ASKED_MS };
    }
    buckets.set(name, bucket);
  }
  return [changes, { covered, wishes }];
}

/**
 * Take what the gate granted of some wishes; an answer that never came granted nothing.
 *
 * A lease ends `leaseMs` after its request was sent. The gate debited it after that, so it never outlives what the gate
 * holds for it, whatever the two clocks show.
 *
 * @param sentAtMs what this isolate's clock showed then
 */
export function acceptLeases(
  book: LeaseBook,
  nowMs: number,
  {
    sentAtMs,
    wishes,
    grants,
  }: {
    readonly sentAtMs: number;
    readonly wishes: readonly LeaseWish[];
    readonly grants: readonly LeaseGrant[];
  },
): LeaseChanges {
  const setBack = nowMs < book.seenMs;
  const buckets = new Map<string, LeasedBucket>();
  for (const { limit } of wishes) {
    const kept = setBack ? NONE : (book.buckets.get(limit.bucket) ?? NONE);
    const grant = grants.find(({ bucket }) => bucket === limit.bucket);
    if (grant === undefined) {
      buckets.set(limit.bucket, { ...kept, quietUntil: nowMs + REFUSED_MS });
      continue;
    }
    const { tokens, remaining, resetMs } = grant;
    // Never longer than this isolate's timers for it, should the gate be of another version.
    const leaseMs = Math.min(grant.leaseMs, leaseMsOf(limit.windowS));
    // Set back while the answer was under way: how old the lease is cannot be told any more.
    const known = !setBack && nowMs >= sentAtMs;
    const fresh = known ? [{ tokens, granted: tokens, endsAt: sentAtMs + leaseMs }] : [];
    const leases = [...kept.leases, ...fresh].toSorted((a, b) => a.endsAt - b.endsAt);
    buckets.set(limit.bucket, { ...kept, leases, remaining, resetMs, quietUntil: 0 });
  }
  return { seenMs: nowMs, clear: setBack, buckets };
}

/** Remember what the gate says is left of a bucket, beside its leases. */
export function noteRemaining(
  book: LeaseBook,
  bucket: string,
  { remaining, resetMs }: QuotaState,
): LeaseChanges {
  const kept = book.buckets.get(bucket);
  const buckets = new Map<string, LeasedBucket>();
  if (kept !== undefined) buckets.set(bucket, { ...kept, remaining, resetMs });
  return { seenMs: book.seenMs, clear: false, buckets };
}

/**
 * End the leases of a bucket that end at `endsAt` or before, whatever the clock shows. For a timer that was set when they
 * were asked for: a clock set back while nobody looked shows less time than has passed, a timer does not.
 */
export function endLeases(book: LeaseBook, limit: RateLimit, endsAt: number): LeaseChanges {
  const kept = book.buckets.get(limit.bucket);
  const buckets = new Map<string, LeasedBucket>();
  if (kept !== undefined) buckets.set(limit.bucket, withoutEnded(kept, endsAt, limit));
  return { seenMs: book.seenMs, clear: false, buckets };
}

/** What may truly be said to be left: what the gate said, and what is at hand. */
export function leasedRemaining({ leases, remaining }: LeasedBucket): number {
  return remaining + tokensOf(leases);
}

function withoutEnded(bucket: LeasedBucket, nowMs: number, { windowS }: RateLimit): LeasedBucket {
  const { leases } = bucket;
  if (leases.every(({ tokens, endsAt }) => tokens > 0 && nowMs < endsAt)) return bucket;
  const wasted = leases.some(({ tokens, granted, endsAt }) => nowMs >= endsAt && tokens > granted / 2);
  return {
    ...bucket,
    leases: leases.filter(({ tokens, endsAt }) => tokens > 0 && nowMs < endsAt),
    ...(wasted && { quietUntil: nowMs + WASTED_LEASES * leaseMsOf(windowS) }),
  };
}

function countDemand(bucket: LeasedBucket, nowMs: number, count: number): LeasedBucket {
  const slot = Math.floor(nowMs / SLOT_MS);
  if (slot === bucket.slot) return { ...bucket, count: bucket.count + count };
  return { ...bucket, slot, count, before: slot === bucket.slot + 1 ? bucket.count : 0 };
}

function wishOf(bucket: LeasedBucket, nowMs: number, { windowS }: RateLimit): number {
  if (nowMs < bucket.quietUntil) return 0;
  const leaseMs = leaseMsOf(windowS);
  const perMs = bucket.before / SLOT_MS;
  const tokens = Math.floor((perMs * leaseMs) / 2);
  if (tokens < LIMITS.leaseLeastTokens) return 0;
  const lasting = bucket.leases.filter(({ endsAt }) => endsAt - nowMs > leaseMs / 4);
  return tokensOf(lasting) < (perMs * leaseMs) / 4 ? tokens : 0;
}

function spendTokens(leases: readonly Lease[], count: number): readonly Lease[] {
  let left = count;
  return leases.map((lease) => {
    const taken = Math.min(left, lease.tokens);
    left -= taken;
    return taken === 0 ? lease : { ...lease, tokens: lease.tokens - taken };
  });
}

function tokensOf(leases: readonly Lease[]): number {
  let tokens = 0;
  for (const lease of leases) tokens += lease.tokens;
  return tokens;
}
