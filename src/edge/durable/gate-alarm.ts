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

  /** @param at what `getAlarm()` said at the cold start */
  constructor(storage: DurableObjectStorage, at: number | null, leaseMs: number) {
    this.#storage = storage;
    this.#at = at;
    this.#overdueMs = Math.min(OVERDUE_MS, leaseMs);
  }

  /** Make sure that the alarm comes no later than `dueAt`. */
  arm(dueAt: number): void {
    if (this.#at !== null && this.#at <= dueAt) return;
    this.#at = dueAt;
    // Not awaited: it belongs to the same transaction as the rows written before it in this turn, and the output gate
    // holds the answer for both.
    void this.#storage.setAlarm(dueAt);
  }

  /** The platform delivered the alarm, so there is none any more. */
  consume(): void {
    this.#at = null;
  }

  /** Whether the alarm is missing, or should have come long ago; a lost one is forgotten, so it can be set again. */
  isLost(nowMs: number): boolean {
    if (this.#at !== null && this.#at < nowMs - this.#overdueMs) this.#at = null;
    return this.#at === null;
  }
}
