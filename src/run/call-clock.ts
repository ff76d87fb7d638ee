import { type Failure, makeFailure, type TimeoutPhase } from "../contract/failure.ts";
import { ToolFailure } from "../contract/tool-failure.ts";
import type { Clock } from "../kit/clock.ts";

/**
 * The clock of one tool call: a total budget, a narrower limit for the current phase, and the abort signal both end in.
 *
 * It is created when the call is dispatched and paused while the call waits for a header slot, so waiting in our own
 * queue never burns an upstream's time. There is a single timer, re-armed only when it fires too early: entering a
 * phase costs an assignment.
 */
export class CallClock {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #totalAt: number;
  #phaseAt = Number.POSITIVE_INFINITY;
  #phase: TimeoutPhase = "total";
  #pausedAt: number | null = null;
  #pausedMs = 0;
  #armedAt = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => {};

  constructor(clock: Clock, totalMs: number) {
    this.#clock = clock;
    this.#totalAt = clock.now() + totalMs;
    this.#arm();
  }

  /** Aborts with a `ToolFailure` as its reason: `TIMEOUT` with the phase, or what `end` was given. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds spent paused so far. */
  get pausedMs(): number {
    return this.#pausedMs;
  }

  /** Milliseconds left of the total budget. */
  get remainingMs(): number {
    return Math.max(0, this.#totalAt - (this.#pausedAt ?? this.#clock.now()));
  }

  /** Start a phase that may take `limitMs`; it replaces the phase before it. */
  enter(phase: "headers" | "idle", limitMs: number): void {
    this.#phase = phase;
    this.#phaseAt = this.#clock.now() + limitMs;
    if (this.#phaseAt < this.#armedAt) this.#arm();
  }

  /** Go back to having only the total budget. */
  leave(): void {
    this.#phaseAt = Number.POSITIVE_INFINITY;
  }

  /** Stop counting: the call waits for something of ours. */
  pause(): void {
    this.#pausedAt ??= this.#clock.now();
  }

  /** Count again; the time between was nobody's. */
  resume(): void {
    if (this.#pausedAt === null) return;
    const pausedMs = Math.max(0, this.#clock.now() - this.#pausedAt);
    this.#pausedAt = null;
    this.#pausedMs += pausedMs;
    this.#totalAt += pausedMs;
    this.#arm();
  }

  /** End the call from outside (deadline, fail-fast, disconnect). The first reason wins. */
  end(failure: Failure): void {
    this.stop();
    this.#controller.abort(new ToolFailure(failure.code, failure));
  }

  /** The call is over; no timer is left behind. */
  stop(): void {
    this.#cancelTimer();
    this.#armedAt = Number.NEGATIVE_INFINITY;
  }

  #arm(): void {
    if (this.#armedAt === Number.NEGATIVE_INFINITY) return;
    this.#cancelTimer();
    this.#armedAt = Math.min(this.#totalAt, this.#phaseAt);
    const delayMs = Math.max(0, this.#armedAt - this.#clock.now());
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#onTimer());
  }

  #onTimer(): void {
    if (this.#pausedAt !== null) {
      // resume() arms again; until then no time passes.
      this.#armedAt = Number.POSITIVE_INFINITY;
      return;
    }
    const now = this.#clock.now();
    if (now >= this.#phaseAt) this.end(makeFailure("TIMEOUT", { phase: this.#phase }));
    else if (now >= this.#totalAt) this.end(makeFailure("TIMEOUT", { phase: "total" }));
    else this.#arm();
  }
}
