/** An alarm this late is lost, not slow. */
const OVERDUE_MS = 10_000;

/**
 * The object's one alarm, and what is known of it without asking storage.
 *
 * Setting one replaces the other, so it is only ever moved earlier; an alarm that comes too early finds nothing due and
 * costs less than the row that moving it later would write.
 */
export class GateAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #overdueMs: number;
  #at: number | null;
  #repairedAt = 0;

  /** @param at what `getAlarm()` said at the cold start */
  constructor(storage: DurableObjectStorage, at: number | null, leaseMs: number) {
    this.#storage = storage;
    this.#at = at;
    this.#overdueMs = Math.min(OVERDUE_MS, leaseMs);
  }

  /** Make sure that the alarm comes no later than `dueAt`, or at once where that is past. */
  arm(dueAt: number): void {
    if (this.#at !== null && this.#at <= dueAt) return;
    this.#at = dueAt;
    // Not awaited: it belongs to the same transaction as the rows written before it in this turn, and the output gate
    // holds the answer for both. Storage refuses a time before the first millisecond and keeps the alarm that it has.
    void this.#storage.setAlarm(Math.max(1, dueAt));
  }

  /** The platform delivered the alarm, so there is none any more. */
  consume(): void {
    this.#at = null;
  }

  /**
   * Set an alarm that is missing, or should have come long ago, to when it was due.
   *
   * Never to a later time: setting an alarm that is only slow to now puts it off, and under steady traffic for ever. A time in
   * the past is delivered at once. It is tried again after as long as it took to be missed.
   */
  repair(nowMs: number, dueAt: () => number): void {
    if (this.#at !== null && Math.max(this.#at, this.#repairedAt) >= nowMs - this.#overdueMs) return;
    this.#at = null;
    this.#repairedAt = nowMs;
    this.arm(dueAt());
  }
}
