import type { Clock } from "./clock.ts";

/** How far ahead the platform's timer is set at most. Most requests are over by then, and have set one. */
const HORIZON_MS = 1_000;

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Many timers on one: the clock of a request, whose calls all need a timeout that almost never comes.
 *
 * A platform timer costs more than everything else a call does in here, so there is at most one at a time, armed for
 * the earliest entry or for a second from now: the limits of a call come one after the other, each shorter than the one
 * before, and would otherwise set a new timer each. A cancelled entry is only forgotten; a timer that then finds nothing
 * due arms the next. Entries due at the same time fire in the order they were set.
 */
export class TimerQueue implements Clock {
  readonly #clock: Clock;
  readonly #entries = new Set<Entry>();
  #armedAt = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(delayMs: number, callback: () => void): () => void {
    const now = this.#clock.now();
    const entry = { at: now + Math.max(0, delayMs), callback };
    this.#entries.add(entry);
    if (entry.at < this.#armedAt) this.#arm(entry.at, now);
    return () => {
      this.#entries.delete(entry);
    };
  }

  /** Take the platform's timer back; entries that are left never fire. */
  close(): void {
    this.#entries.clear();
    this.#cancelTimer();
    this.#armedAt = Number.POSITIVE_INFINITY;
  }

  #arm(at: number, now: number): void {
    this.#cancelTimer();
    const armedAt = Math.min(at, now + HORIZON_MS);
    this.#armedAt = armedAt;
    this.#cancelTimer = this.#clock.after(Math.max(0, armedAt - now), () => this.#onTimer(armedAt));
  }

  /** @param firedFor what the timer was set for: that it fired is proof that this time has come, whatever the clock says */
  #onTimer(firedFor: number): void {
    this.#armedAt = Number.POSITIVE_INFINITY;
    this.#cancelTimer = () => {};
    const now = Math.max(firedFor, this.#clock.now());
    const due = [...this.#entries].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const entry of due) if (this.#entries.delete(entry)) entry.callback();
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.#entries) next = Math.min(next, at);
    if (next < this.#armedAt) this.#arm(next, now);
  }
}
