import type { KeyQuota, LeaseGrant, LeaseWish, RateLimit } from "../../../core/contract/gate/admission.ts";
import type { UsageReport } from "../../../core/contract/gate/usage.ts";
import { grantLeases } from "../../../core/gate/state/grant-leases.ts";
import {
  type Bucket,
  type BucketChange,
  drawQuota,
  USED,
  expireBuckets,
  peekQuota,
  type QuotaBook,
  type QuotaCommand,
  type QuotaResult,
  resumeBucket,
} from "../../../core/gate/state/quota.ts";

/** The row that keeps the floor; no bucket has an empty name. */
const FLOOR = "";

/** How often it is written at most that a key was used. */
const USED_EVERY_MS = 3_600_000;

/** Forgetting costs a row written each, so nothing is forgotten before there are this many. */
const FIRST_SWEEP_SIZE = 1_000;

/**
 * The tenant's quota buckets: all of them in memory, their marks in the `quota` table.
 *
 * A draw touches no SQL unless a mark moves. Rows are written before memory changes, so a write that throws leaves a
 * bucket as it was; and in the same turn as the answer, so the output gate holds the answer until they are durable.
 */
export class QuotaTable {
  readonly #sql: SqlStorage;
  readonly #buckets = new Map<string, Bucket>();
  #floorMs = 0;
  #sweepSize = FIRST_SWEEP_SIZE;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const rows = sql.exec<{ bucket: string; mark: number }>("SELECT bucket, mark FROM quota");
    for (const { bucket, mark } of rows) {
      if (bucket === FLOOR) this.#floorMs = mark;
      else this.#buckets.set(bucket, resumeBucket(mark));
    }
  }

  /** Count one batch. Synchronous, so that batches cannot interleave. */
  draw(nowMs: number, command: QuotaCommand): QuotaResult {
    const [changes, result] = drawQuota(this.#book, nowMs, command);
    this.#save(changes);
    if (result.quota?.allowed === true) this.noteUse(nowMs, command.quota!.bucket);
    if (this.#buckets.size >= this.#sweepSize) this.#sweep(nowMs);
    return result;
  }

  /** Note that the key of a bucket was used, at most once an hour. */
  noteUse(nowMs: number, ofKey: string): void {
    const bucket = usedOf(ofKey);
    if (nowMs - (this.#buckets.get(bucket)?.markMs ?? 0) >= USED_EVERY_MS)
      this.#save([{ bucket, tatMs: nowMs, markMs: nowMs, persist: true }]);
  }

  /** Draw one from a limit; how long is to be waited where there is no room. */
  drawOne(nowMs: number, limit: RateLimit): number {
    const { denied } = this.draw(nowMs, { quota: null, draws: [{ index: 0, limit }] });
    return denied[0]?.retryAfterMs ?? 0;
  }

  /** Debit blocks of quota that an isolate may use on its own. */
  lease(nowMs: number, wishes: readonly LeaseWish[]): readonly LeaseGrant[] {
    const [changes, grants] = grantLeases(this.#book, wishes, { nowMs });
    this.#save(changes);
    return grants;
  }

  /** Say what is left of each quota, and when its key was used. */
  peek(nowMs: number, limits: readonly KeyQuota[]): UsageReport["quotas"] {
    return limits.map((limit) => ({
      ...peekQuota(this.#book, nowMs, limit),
      usedAtMs: this.#buckets.get(usedOf(limit.bucket))?.markMs ?? null,
    }));
  }

  get #book(): QuotaBook {
    return { floorMs: this.#floorMs, buckets: this.#buckets };
  }

  #save(changes: readonly BucketChange[]): void {
    for (const change of changes) if (change.persist) this.#write(change);
    for (const { bucket, tatMs, markMs } of changes) this.#buckets.set(bucket, { tatMs, markMs });
  }

  #write({ bucket, markMs }: Pick<BucketChange, "bucket" | "markMs">): void {
    this.#sql.exec(
      "INSERT INTO quota (bucket, mark) VALUES (?, ?) ON CONFLICT (bucket) DO UPDATE SET mark = excluded.mark",
      bucket,
      markMs,
    );
  }

  /** The next sweep waits until the map has doubled, so the cost of a sweep is spread over as many new buckets. */
  #sweep(nowMs: number): void {
    const { expired, floorMs } = expireBuckets(this.#book, nowMs);
    if (expired.length > 0) this.#write({ bucket: FLOOR, markMs: floorMs });
    this.#floorMs = floorMs;
    for (const bucket of expired) {
      this.#sql.exec("DELETE FROM quota WHERE bucket = ?", bucket);
      this.#buckets.delete(bucket);
    }
    this.#sweepSize = Math.max(FIRST_SWEEP_SIZE, this.#buckets.size * 2);
  }
}

/** The bucket whose mark is the time at which a key was used: one for the buckets of both its allowances. */
function usedOf(bucket: string): string {
  return bucket.replace(/^\w+/, USED);
}
