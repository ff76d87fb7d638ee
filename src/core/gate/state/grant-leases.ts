import type { LeaseGrant, LeaseWish } from "../../contract/gate/admission.ts";
import * as LIMITS from "../../contract/limits.ts";
import { decideGcra } from "../../kit/gcra.ts";
import { leaseMsOf } from "./lease.ts";
import { advanceBucket, type BucketChange, type QuotaBook } from "./quota.ts";

/** How freely leases are granted. None of it is needed for the limit to hold, only for a fair use of it. */
export interface LeasePolicy {
  /** A block is at most this part of what is left. */
  readonly share: number;
  /** Part of the limit that is never leased. */
  readonly reserve: number;
  readonly leastLimit: number;
}

interface LeaseOptions {
  readonly nowMs: number;
  readonly policy?: LeasePolicy;
}

const POLICY: LeasePolicy = { share: LIMITS.leaseShare, reserve: 1 / 4, leastLimit: LIMITS.leaseLeastLimit };

/**
 * Debit blocks of quota that isolates may then use without asking: each wish whole or not at all.
 *
 * The bound of the bucket stays what it is without leases: of uses in a window [a, b] of real time there are at most
 * limit + (b - a) / T, as long as this object's clock is never set forward. Let d be the time of a debit and u that of a
 * use it covers.
 * - A direct draw has u = d. A lease is debited after its request was sent and ends `leaseMs` after that, so
 *   d <= u <= d + leaseMs.
 * - Take the uses in [a, b], k of them, and among their debits the first, at d1, and the last, at dn. Every debit adds T for
 *   each of its tokens and nothing ever lowers the TAT, so after the last it is at least clock(d1) + k x T, and at least
 *   clock(d1) + leaseMs + k x T when the first was a lease, because a lease raises the TAT to clock(d) + leaseMs before it
 *   adds. And no debit leaves more than clock(dn) + limit x T.
 * - A clock that is only ever set back shows at most dn - d1 between the two. So k <= limit + (dn - d1) / T, or with a
 *   lease first, k <= limit + (dn - d1 - leaseMs) / T. dn <= b. A direct d1 is >= a, and that of a lease >= a - leaseMs.
 *   Either way k <= limit + (b - a) / T.
 *
 * A lost answer, an evicted isolate, an expired block: tokens that are debited and never used, which only takes uses
 * away. A cold start resumes from the mark, which is never below the TAT.
 *
 * Leases cost burst: the raise is up to leaseMs / T, at most a twentieth of the limit. So they are for a busy caller, not for one
 * that is about to run out: a block is at most a share of the quota that is left beside a reserve. Who asks for more than that,
 * being the demand of one second, would soon be at its limit, and there every draw is counted by itself: 3,000 requests at once
 * at a limit of 100 still are exactly 100.
 */
export function grantLeases(
  book: QuotaBook,
  wishes: readonly LeaseWish[],
  { nowMs, policy: { share, reserve, leastLimit } = POLICY }: LeaseOptions,
): [changes: readonly BucketChange[], grants: readonly LeaseGrant[]] {
  const changes = new Map<string, BucketChange>();
  const grants: LeaseGrant[] = [];
  for (const { limit, tokens } of wishes) {
    if (limit.limit < leastLimit || tokens < 1) continue;
    const { bucket } = limit;
    const kept = changes.get(bucket) ?? book.buckets.get(bucket);
    const leaseMs = leaseMsOf(limit.windowS);
    const block = { ...limit, count: tokens, holdMs: leaseMs };
    const { allowed, tatMs, remaining, resetMs } = decideGcra(kept?.tatMs ?? book.floorMs, nowMs, block);
    const comfortable = remaining >= limit.limit * reserve && remaining >= tokens * (share - 1);
    if (!allowed || !comfortable) continue;
    const persist = changes.get(bucket)?.persist ?? false;
    changes.set(bucket, advanceBucket(limit, { tatMs, markMs: kept?.markMs ?? 0, persist }));
    grants.push({ bucket, tokens, leaseMs, remaining, resetMs });
  }
  return [[...changes.values()], grants];
}
