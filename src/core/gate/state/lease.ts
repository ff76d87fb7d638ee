import type {
  KeyQuota,
  LeaseGrant,
  LeaseWish,
  QuotaState,
  RateLimit,
} from "../../contract/gate/admission.ts";
import * as LIMITS from "../../contract/limits.ts";

/** Every limit that a request by a key draws from: its own, then those of the keys above it. */
export function limitsOf(quota: KeyQuota): readonly RateLimit[] {
  return quota.makers === undefined ? [quota] : [quota, ...quota.makers];
}

/** Tokens of a block that are left, and the last moment they may be used, by the clock that its request was sent by. */
interface Lease {
  tokens: number;
  readonly endsAt: number;
}

/** One bucket as an isolate sees it. */
interface LeasedBucket {
  /** The one that ends first comes first. */
  leases: Lease[];
  /** The quota that the gate last said it had left beside them. */
  remaining: number;
  resetMs: number;
  /** When the current span of demand began, how many draws it has seen, and how many the one before it. */
  since: number;
  count: number;
  before: number;
  /** Tokens that are asked for, less what the requests that wait for them will take. */
  coming: number;
  /** No wish before this time: one is under way, or was refused just now. */
  quietUntil: number;
  /** Draws of the request that is being decided. */
  asked: number;
}

export interface LeaseDrawn {
  /** `covered`: every draw was taken from a lease. `coming`: an answer under way will bring enough. Else nothing was taken. */
  readonly kind: "covered" | "coming" | "short";
  /** Leases to ask for now, in this request's round trip or behind it. */
  readonly wishes: readonly LeaseWish[];
}

const NO_WISHES: readonly LeaseWish[] = [];
const COVERED: LeaseDrawn = { kind: "covered", wishes: NO_WISHES };
const COMING: LeaseDrawn = { kind: "coming", wishes: NO_WISHES };
const SHORT: LeaseDrawn = { kind: "short", wishes: NO_WISHES };

/** The part of a lease's time after which a new demand is believed: long enough to tell being busy from a few at once. */
const BELIEVED = 1 / 10;

/** After a refusal: quota does not come back faster than this. */
const REFUSED_MS = 500;

/** An answer that did not come by then never will: nothing relies on hearing of it. */
const ASKED_MS = 2 * LIMITS.admissionTimeoutMs;

/**
 * One isolate's leases of one tenant's quota, for as long as the isolate lives.
 *
 * That the limit holds does not depend on what is wished for, only on when a lease ends: `leaseMs` after its request was sent, by
 * this isolate's clock or by a timer, whichever is first. See `grantLeases`. A clock that shows an earlier time than before was
 * set back: the distance is unknown, so every lease is dropped.
 *
 * The wish is for the quota that the demand of one lease's time before would use, as soon as the quota at hand would last less
 * than a quarter of that. A span of demand begins with a draw, as a lease does, so a caller who comes in bursts is seen with his
 * pauses: the first request of a burst asks for the burst, and what it brings is nearly used up when it ends. A caller that sends
 * a request now and then never holds a lease.
 */
export class TenantLeases {
  readonly #buckets = new Map<string, LeasedBucket>();
  #seenMs = 0;

  /**
   * Draw one token for each of some limits, all of it or nothing, and say which leases to ask for. In the common case, all of
   * it at hand, nothing is allocated.
   *
   * @param limits the same bucket may be named more than once
   * @param again the same request once more, after what was coming has come; its demand is counted already
   */
  draw(nowMs: number, limits: readonly RateLimit[], again = false): LeaseDrawn {
    this.#look(nowMs);
    // One that is never leased has to be drawn at the gate, and the others with it.
    for (const { limit } of limits) if (limit < LIMITS.leaseLeastLimit) return SHORT;
    for (const limit of limits) {
      const bucket = this.#open(limit.bucket);
      if (bucket.asked === 0) dropEnded(bucket, nowMs);
      bucket.asked += 1;
      if (!again) countDemand(bucket, nowMs, leaseMsOf(limit.windowS));
    }
    let covered = true;
    let coming = !again;
    for (const { bucket: name } of limits) {
      const bucket = this.#open(name);
      const missing = bucket.asked - tokensOf(bucket);
      covered &&= missing <= 0;
      coming &&= missing <= bucket.coming;
    }
    let wishes: LeaseWish[] | undefined;
    for (const limit of limits) {
      const bucket = this.#open(limit.bucket);
      if (bucket.asked === 0) continue;
      if (covered) spend(bucket, bucket.asked);
      // It waited in vain: the answer brought too little, or was cut off with the request that asked. No other request waits for
      // it.
      else if (again) bucket.coming = 0;
      else if (coming) bucket.coming -= bucket.asked;
      bucket.asked = 0;
      const tokens = wishOf(bucket, nowMs, limit);
      if (tokens === 0 || !limits.every((other) => this.#isUseful(other, nowMs))) continue;
      (wishes ??= []).push({ limit, tokens });
      bucket.coming += tokens;
      bucket.quietUntil = nowMs + ASKED_MS;
    }
    if (wishes !== undefined) return { kind: covered ? "covered" : coming ? "coming" : "short", wishes };
    return covered ? COVERED : coming ? COMING : SHORT;
  }

  /**
   * Take what the gate granted of some wishes; an answer that never came granted nothing.
   *
   * A lease ends `leaseMs` after its request was sent. The gate debited it after that, so it never outlives what the gate
   * holds for it, whatever the two clocks show.
   *
   * @param sentAtMs what this isolate's clock showed then
   */
  accept(
    nowMs: number,
    sentAtMs: number,
    { wishes, grants }: { readonly wishes: readonly LeaseWish[]; readonly grants: readonly LeaseGrant[] },
  ): void {
    // Set back while the answer was under way: how old the lease is cannot be told any more.
    const known = this.#look(nowMs) && nowMs >= sentAtMs;
    for (const { limit } of wishes) {
      const bucket = this.#open(limit.bucket);
      const grant = grants.find((other) => other.bucket === limit.bucket);
      bucket.coming = 0;
      bucket.quietUntil = grant === undefined ? nowMs + REFUSED_MS : 0;
      if (grant === undefined) continue;
      bucket.remaining = grant.remaining;
      bucket.resetMs = grant.resetMs;
      if (!known) continue;
      // Never longer than this isolate's timers for it, should the gate be of another version.
      const endsAt = sentAtMs + Math.min(grant.leaseMs, leaseMsOf(limit.windowS));
      bucket.leases.push({ tokens: grant.tokens, endsAt });
      bucket.leases.sort((a, b) => a.endsAt - b.endsAt);
    }
  }

  /**
   * End the leases of a bucket that end at `endsAt` or before, whatever the clock shows. For a timer that was set when they were
   * asked for: a clock set back between two looks shows less time than has passed, a timer does not.
   */
  end(name: string, endsAt: number): void {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) dropEnded(bucket, endsAt);
  }

  /** Remember what the gate says is left of a bucket, beside its leases. */
  note(name: string, { remaining, resetMs }: QuotaState): void {
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return;
    bucket.remaining = remaining;
    bucket.resetMs = resetMs;
  }

  /** The quota that may truly be said to be left: the gate's last answer, and the quota at hand. */
  stateOf(name: string): QuotaState {
    const bucket = this.#open(name);
    const { remaining, resetMs } = bucket;
    return { allowed: true, remaining: remaining + tokensOf(bucket), resetMs, retryAfterMs: 0 };
  }

  /** Tokens of a bucket that are at hand. */
  heldOf(name: string): number {
    const bucket = this.#buckets.get(name);
    return bucket === undefined ? 0 : tokensOf(bucket);
  }

  /** Whether a request that draws from a limit may be covered soon: else a lease of what else it draws from is wasted. */
  #isUseful(limit: RateLimit, nowMs: number): boolean {
    const bucket = this.#open(limit.bucket);
    return bucket.coming > 0 || tokensOf(bucket) > 0 || wishOf(bucket, nowMs, limit) > 0;
  }

  /** See what the clock shows; false, and nothing is held any more, when it was set back. */
  #look(nowMs: number): boolean {
    const goesOn = nowMs >= this.#seenMs;
    if (!goesOn) this.#buckets.clear();
    this.#seenMs = nowMs;
    return goesOn;
  }

  #open(name: string): LeasedBucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      const nothing = { remaining: 0, resetMs: 0, count: 0, before: 0, coming: 0, quietUntil: 0, asked: 0 };
      bucket = { leases: [], since: Number.NEGATIVE_INFINITY, ...nothing };
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }
}

/** How long a lease lives: a twentieth of the window at most, which is what the raise of the TAT may cost of the limit. */
export function leaseMsOf(windowS: number): number {
  return Math.min(LIMITS.leaseMs, Math.floor((windowS * 1_000) / 20));
}

function dropEnded(bucket: LeasedBucket, nowMs: number): void {
  const { leases } = bucket;
  for (const { tokens, endsAt } of leases) {
    if (tokens > 0 && nowMs < endsAt) continue;
    bucket.leases = leases.filter((lease) => lease.tokens > 0 && nowMs < lease.endsAt);
    return;
  }
}

function countDemand(bucket: LeasedBucket, nowMs: number, leaseMs: number): void {
  if (nowMs >= bucket.since + leaseMs) {
    bucket.before = bucket.count;
    bucket.since = nowMs;
    bucket.count = 0;
  }
  bucket.count += 1;
}

/**
 * Three quarters of the demand of a lease's time: with the quarter at hand it is used up when it ends. A demand that is newer
 * than that counts half. Never more than the gate grants down to its reserve, and nothing where it saves too little.
 */
function wishOf(bucket: LeasedBucket, nowMs: number, { limit, windowS }: RateLimit): number {
  if (nowMs < bucket.quietUntil) return 0;
  const leaseMs = leaseMsOf(windowS);
  const ageMs = nowMs - bucket.since;
  const rising = ageMs < leaseMs * BELIEVED ? 0 : (bucket.count / ageMs) * (leaseMs / 2);
  const demand = Math.max(bucket.before, bucket.count, rising);
  if (demand < LIMITS.leaseLeastTokens) return 0;
  const most = limit / (4 * LIMITS.leaseShare);
  const tokens = Math.max(LIMITS.leaseLeastTokens, Math.floor(Math.min((demand * 3) / 4, most)));
  let lasting = 0;
  for (const lease of bucket.leases) if (lease.endsAt - nowMs > leaseMs / 4) lasting += lease.tokens;
  return lasting < Math.min(demand, tokens) / 4 ? tokens : 0;
}

function spend(bucket: LeasedBucket, count: number): void {
  let left = count;
  for (const lease of bucket.leases) {
    const taken = Math.min(left, lease.tokens);
    lease.tokens -= taken;
    left -= taken;
  }
}

function tokensOf({ leases }: LeasedBucket): number {
  let tokens = 0;
  for (const lease of leases) tokens += lease.tokens;
  return tokens;
}
