import type { JobTable } from "./job-table.ts";

/** Between two prunings by age: rows a few minutes too old hurt nobody. */
const PRUNE_EVERY_MS = 5 * 60_000;

/**
 * Keep the finished jobs few and young enough.
 *
 * How many there are and how old the oldest is are known in memory, so the usual answer, that nothing has to go, costs
 * no SQL. Over the count at most a tenth more is kept: then one scan removes many.
 */
export class FinalJobs {
  readonly #table: JobTable;
  readonly #kept: number;
  readonly #retentionMs: number;
  #count = 0;
  #oldest = Number.POSITIVE_INFINITY;
  #prunedAt = 0;

  constructor(table: JobTable, options: { readonly jobsKept: number; readonly retentionMs: number }) {
    this.#table = table;
    this.#kept = options.jobsKept;
    this.#retentionMs = options.retentionMs;
  }

  add(updatedAt: number): void {
    this.#count += 1;
    this.#oldest = Math.min(this.#oldest, updatedAt);
  }

  /** A finished job is live again. */
  revive(): void {
    this.#count -= 1;
  }

  /** Remove what has to go. Failing to is no reason to fail whatever request it happens in. */
  prune(nowMs: number): void {
    try {
      this.#prune(nowMs);
    } catch {
      // The rows stay; a later entry tries again.
    }
  }

  #prune(nowMs: number): void {
    if (this.#count > this.#kept + Math.floor(this.#kept / 10)) {
      this.#remove(Number.POSITIVE_INFINITY, this.#count - this.#kept);
    }
    const expiry = nowMs - this.#retentionMs;
    if (this.#oldest >= expiry || nowMs < this.#prunedAt + PRUNE_EVERY_MS) return;
    this.#prunedAt = nowMs;
    this.#remove(expiry, Number.POSITIVE_INFINITY);
  }

  #remove(beforeMs: number, count: number): void {
    this.#count -= this.#table.prune(beforeMs, count);
    this.#oldest = this.#table.oldestFinal();
  }
}
