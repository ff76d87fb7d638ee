import { type Failure, makeFailure, type TimeoutPhase } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import type { Clock } from "../kit/clock.ts";

/** Whose limit the total budget is: the tool's own, or that of an action's `timeout_ms`, which is shorter. */
export type TotalOf = "tool" | "timeout_ms";

/** Only who set a limit is told to change it. */
export function sayTooLong(totalMs: number, totalOf: TotalOf): string {
  return totalOf === "tool"
    ? `The whole call took longer than the ${totalMs} ms that its tool may take; ask for less, or do without it.`
    : `The whole call took longer than the ${totalMs} ms of this action's timeout_ms; raise it or leave it out, or ask for less.`;
}

function sayTimeout(phase: TimeoutPhase, totalMs: number, totalOf: TotalOf): string {
  if (phase === "headers")
    return "The service did not begin to answer in time; it may be down, so try again later or do without it.";
  if (phase === "idle") return "The service stopped in the middle of its answer; trying again may help.";
  return sayTooLong(totalMs, totalOf);
}

type OnEnd = (reason: ToolFailure) => void;

/**
 * The clock of one tool call: a total budget, a narrower limit for the current phase, and the abort signal both end in.
 *
 * It is created when the call is dispatched and paused while the call waits for a header slot, so waiting in our own
 * queue never burns an upstream's time. There is a single timer, re-armed only when it fires too early: entering a
 * phase costs an assignment.
 *
 * Its time only moves forward: what a machine's clock loses when it is set back counts as no time passed, and a timer
 * that fires is itself proof that its time has come. A call therefore always ends.
 */
export class CallClock {
  readonly #clock: Clock;
  /** Made when somebody asks for the signal. */
  #controller: AbortController | null = null;
  readonly #totalMs: number;
  readonly #totalOf: TotalOf;
  #totalAt: number;
  #phaseAt = Number.POSITIVE_INFINITY;
  #phase: TimeoutPhase = "total";
  #pausedAt: number | null = null;
  #pausedMs = 0;
  #armedAt = Number.POSITIVE_INFINITY;
  #lastNow: number;
  /** The correction that is added to the machine's clock so that it never goes back. */
  #offsetMs = 0;
  #cancelTimer: () => void = ignore;
  /** Stops listening to the clock that this one was forked from. */
  #leave: () => void = ignore;
  #ended: ToolFailure | null = null;
  /** Two as a rule: a set costs more than to look through them. */
  readonly #onEnd: OnEnd[] = [];
  /** Called the next time that the clock goes on. */
  onResume: (() => void) | null = null;

  constructor(clock: Clock, totalMs: number, totalOf: TotalOf = "tool") {
    this.#clock = clock;
    this.#totalMs = totalMs;
    this.#totalOf = totalOf;
    this.#lastNow = clock.now();
    this.#totalAt = this.#lastNow + totalMs;
    this.#arm(this.#lastNow);
  }

  /** Aborts with a `ToolFailure` as its reason: `TIMEOUT` with the phase, or what `end` was given. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#ended !== null) this.#controller.abort(this.#ended);
    }
    return this.#controller.signal;
  }

  /** Why the call was ended; null while it goes on. */
  get ended(): ToolFailure | null {
    return this.#ended;
  }

  /**
   * Hear of the end, at once when it has come; the returned function stops listening. The same as listening to the
   * signal, without the runtime's cost of an event listener, which every call would pay several times.
   */
  onEnd(callback: OnEnd): () => void {
    if (this.#ended !== null) callback(this.#ended);
    else this.#onEnd.push(callback);
    return () => this.#forget(callback);
  }

  #forget(callback: OnEnd): void {
    const at = this.#onEnd.indexOf(callback);
    if (at === this.#onEnd.length - 1) this.#onEnd.pop();
    else if (at !== -1) this.#onEnd.splice(at, 1);
  }

  /**
   * Wait for `work` no longer than the call goes on, so that work which ignores the signal cannot hold the call up.
   * Rejects with the reason of the end, or as `work` does.
   *
   * @param discard told the value that came too late
   * @param toError what it rejects with where `work` does
   */
  orEnd<T>(
    work: Promise<T>,
    discard: (late: T) => void = ignore,
    toError: (error: unknown) => unknown = asItIs,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end: OnEnd = (reason) => {
        reject(reason);
        work.then(discard, ignore);
      };
      if (this.#ended !== null) return end(this.#ended);
      this.#onEnd.push(end);
      work.then(
        (value) => {
          this.#forget(end);
          resolve(value);
        },
        (error: unknown) => {
          this.#forget(end);
          reject(toError(error));
        },
      );
    });
  }

  /**
   * Make the clock of one request of the call: it ends with the call, and what it ends goes on otherwise. `stop` it when the
   * request is over.
   *
   * @param totalMs the request's limit; without one the request may take as long as the call
   */
  fork(totalMs: number | undefined): CallClock {
    const fork =
      totalMs === undefined
        ? new CallClock(this.#clock, this.#totalMs, this.#totalOf)
        : new CallClock(this.#clock, totalMs);
    fork.#leave = this.onEnd(({ failure }) => fork.end(failure));
    return fork;
  }

  /** Milliseconds spent paused so far. */
  get pausedMs(): number {
    return this.#pausedMs;
  }

  get isPaused(): boolean {
    return this.#pausedAt !== null;
  }

  /** Milliseconds left of the total budget. */
  get remainingMs(): number {
    return Math.max(0, this.#totalAt - (this.#pausedAt ?? this.#now()));
  }

  /** Start a phase that may take `limitMs`; it replaces the phase before it. */
  enter(phase: "headers" | "idle", limitMs: number): void {
    const now = this.#now();
    this.#phase = phase;
    this.#phaseAt = now + limitMs;
    if (this.#phaseAt < this.#armedAt) this.#arm(now);
  }

  /** Go back to having only the total budget. */
  leave(): void {
    this.#phaseAt = Number.POSITIVE_INFINITY;
  }

  /** Stop counting: the call waits for something of ours. */
  pause(): void {
    this.#pausedAt ??= this.#now();
  }

  /** Resume the clock; time spent waiting for a slot is not charged to the call. */
  resume(): void {
    if (this.#pausedAt === null) return;
    const pausedMs = this.#now() - this.#pausedAt;
    this.#pausedAt = null;
    this.#pausedMs += pausedMs;
    this.#totalAt += pausedMs;
    this.#phaseAt += pausedMs;
    // A timer that comes too early sets itself again; one that came meanwhile did not.
    if (this.#armedAt === Number.POSITIVE_INFINITY) this.#arm();
    const { onResume } = this;
    this.onResume = null;
    onResume?.();
  }

  /** End the call from outside (deadline, fail-fast, disconnect). The first reason wins. */
  end(failure: Failure): void {
    if (this.#ended !== null) return;
    this.stop();
    this.#ended = new ToolFailure(failure.code, failure);
    this.#controller?.abort(this.#ended);
    for (let next = this.#onEnd.shift(); next !== undefined; next = this.#onEnd.shift()) next(this.#ended);
  }

  /** The call is over: what its tool did not wait for ends as well. */
  close(): void {
    if (this.#onEnd.length === 0) this.stop();
    else this.end(makeFailure("CANCELLED", { hint: "The call was over before this request was." }));
  }

  /** The call is over; no timer is left behind. */
  stop(): void {
    this.#leave();
    this.#cancelTimer();
    this.#armedAt = Number.NEGATIVE_INFINITY;
  }

  /** No later than the limit of a phase that most calls come to: they set one timer. */
  #arm(now = this.#now()): void {
    if (this.#armedAt === Number.NEGATIVE_INFINITY) return;
    this.#cancelTimer();
    this.#armedAt = Math.min(this.#totalAt, this.#phaseAt, now + LIMITS.idleTimeoutMs);
    const delayMs = Math.max(0, this.#armedAt - now);
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#onTimer());
  }

  #onTimer(): void {
    if (this.#pausedAt !== null) {
      // resume() arms again; until then no time passes.
      this.#armedAt = Number.POSITIVE_INFINITY;
      return;
    }
    const missingMs = this.#armedAt - this.#now();
    if (missingMs > 0) this.#offsetMs += missingMs;
    const now = this.#now();
    if (now >= Math.min(this.#totalAt, this.#phaseAt)) {
      const phase = this.#phaseAt <= this.#totalAt ? this.#phase : "total";
      this.end(makeFailure("TIMEOUT", { phase, hint: sayTimeout(phase, this.#totalMs, this.#totalOf) }));
    } else this.#arm();
  }

  #now(): number {
    const now = this.#clock.now();
    const lostMs = this.#lastNow - now;
    this.#lastNow = now;
    if (lostMs > 0) {
      this.#offsetMs += lostMs;
      // The timer would come before its time as this clock counts it, and be taken for proof.
      this.#arm();
    }
    return now + this.#offsetMs;
  }
}

const ignore = (): void => {};
const asItIs = (error: unknown): unknown => error;
