import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type LeaseWish,
  type RateLimit,
} from "../../src/core/contract/gate/admission.ts";
import { limitsOf } from "../../src/core/gate/state/lease.ts";
import { decideGcra } from "../../src/core/kit/gcra.ts";
import { grantLeases } from "../../src/core/gate/state/grant-leases.ts";
import { type Bucket, type BucketChange, drawQuota } from "../../src/core/gate/state/quota.ts";

/** The quota of a tenant's gate, by the state machines that the Durable Object runs; its jobs are not kept. */
export class QuotaGate {
  readonly floorMs = 0;
  readonly buckets = new Map<string, Bucket>();
  /** Wishes that came, and tokens that were debited by bucket. */
  wishes = 0;
  readonly #counted = new Map<string, number>();

  admit(nowMs: number, request: AdmissionRequest, wishes: readonly LeaseWish[]): AdmissionAnswer {
    this.wishes += wishes.length;
    const [changes, { quota, denied }] = drawQuota(this, nowMs, request);
    this.#save(changes);
    if (quota?.allowed === true) for (const { bucket } of limitsOf(request.quota!)) this.#count(bucket, 1);
    for (const { index, limit } of request.draws)
      if (!denied.some((other) => other.index === index)) this.#count(limit.bucket, 1);

    const [leased, leases] = grantLeases(this, wishes, { nowMs });
    this.#save(leased);
    for (const { bucket, tokens } of leases) this.#count(bucket, tokens);
    return { quota, denied, recorded: [], refusedJobs: [], leases };
  }

  counted(bucket: string): number {
    return this.#counted.get(bucket) ?? 0;
  }

  /** The finding of a draw, without drawing. */
  remaining(nowMs: number, limit: RateLimit): number {
    return decideGcra(this.buckets.get(limit.bucket)?.tatMs ?? 0, nowMs, limit).remaining + 1;
  }

  #save(changes: readonly BucketChange[]): void {
    for (const { bucket, tatMs, markMs } of changes) this.buckets.set(bucket, { tatMs, markMs });
  }

  #count(bucket: string, tokens: number): void {
    this.#counted.set(bucket, this.counted(bucket) + tokens);
  }
}
