import * as LIMITS from "../../core/contract/limits.ts";
import { decideGcra, type GcraRate } from "../../core/kit/gcra.ts";

/** How an endpoint is to be delivered to. */
export interface Lane {
  readonly isActive: boolean;
  readonly ordered: boolean;
  readonly rateLimit?: GcraRate | undefined;
}

/** A delivery that waits. */
export interface Waiting {
  readonly seq: number;
  readonly dueAt: number;
}

interface LaneState {
  lane: Lane;
  /** By its place in the order of publishing: when it is due. */
  readonly waiting: Map<number, number>;
  readonly running: Set<number>;
  /** Failed attempts in a row. */
  failures: number;
  slowUntil: number;
  tatMs: number;
  /** No delivery of it is due before; 0 where that has to be looked for. */
  nextAt: number;
}

/** A delivery whose turn it is. */
export interface Turn {
  readonly no: number;
  readonly seq: number;
}

/**
 * The deliveries that wait in one object, and whose turn it is. In memory, pure: time is handed in.
 *
 * An endpoint whose last attempt failed has one call at a time, and all such endpoints together have few of the object's places, so
 * those that hang take nothing from those that answer. Endpoints take turns: the one that had none for longest comes first.
 */
export class DeliveryQueue {
  readonly #lanes = new Map<number, LaneState>();
  readonly #failingAtOnce: number;
  #failingRunning = 0;

  constructor(failingAtOnce: number = LIMITS.failingAtOnce) {
    this.#failingAtOnce = failingAtOnce;
  }

  /**
   * Say how an endpoint is to be delivered to; what waits for it goes on waiting.
   *
   * @param facts.isFailing its last attempt failed, as far as that is kept: of one that is known here this says nothing
   */
  set(no: number, lane: Lane, { isFailing }: { readonly isFailing: boolean } = { isFailing: false }): void {
    const known = this.#lanes.get(no);
    if (known === undefined) {
      const fresh = { failures: isFailing ? 1 : 0, slowUntil: 0, tatMs: 0, nextAt: 0 };
      this.#lanes.set(no, { lane, waiting: new Map(), running: new Set(), ...fresh });
      return;
    }
    known.lane = lane;
    known.nextAt = 0;
  }

  /** Have nothing wait for an endpoint any more, and give what did. */
  clear(no: number): number[] {
    const state = this.#lanes.get(no);
    if (state === undefined) return [];
    const seqs = [...state.waiting.keys()];
    state.waiting.clear();
    return seqs;
  }

  /** Have a delivery wait. */
  add(no: number, { seq, dueAt }: Waiting): void {
    const state = this.#lanes.get(no);
    if (state === undefined) return;
    state.waiting.set(seq, dueAt);
    state.nextAt = 0;
  }

  has({ no, seq }: Turn): boolean {
    const state = this.#lanes.get(no);
    return state !== undefined && (state.waiting.has(seq) || state.running.has(seq));
  }

  /** Whether an attempt is under way. */
  isRunning({ no, seq }: Turn): boolean {
    return this.#lanes.get(no)?.running.has(seq) === true;
  }

  /** List the deliveries to an endpoint that wait or are under way. */
  open(no: number): number[] {
    const state = this.#lanes.get(no);
    return state === undefined ? [] : [...state.waiting.keys(), ...state.running];
  }

  sizeOf(no: number): number {
    const state = this.#lanes.get(no);
    return state === undefined ? 0 : state.waiting.size + state.running.size;
  }

  failuresOf(no: number): number {
    return this.#lanes.get(no)?.failures ?? 0;
  }

  /** Take the delivery whose turn it is; null where there is none now. */
  claim(nowMs: number): Turn | null {
    for (const [no, state] of this.#lanes) {
      if (state.nextAt > nowMs || !this.#mayRun(state, nowMs)) continue;
      const seq = this.#pick(state, nowMs);
      if (seq === null || !this.#draw(state, nowMs)) continue;
      state.waiting.delete(seq);
      state.running.add(seq);
      if (state.failures > 0) this.#failingRunning += 1;
      // To the end: others have their turns first.
      this.#lanes.delete(no);
      this.#lanes.set(no, state);
      return { no, seq };
    }
    return null;
  }

  /** An attempt is over. */
  end(
    { no, seq }: Turn,
    nowMs: number,
    { failed, slowMs }: { readonly failed: boolean; readonly slowMs: number },
  ): void {
    const state = this.#lanes.get(no);
    if (state === undefined || !state.running.delete(seq)) return;
    if (state.failures > 0) this.#failingRunning -= 1;
    // Calls that began before the first failure count among those of failing endpoints from now on.
    const before = state.failures;
    state.failures = failed ? state.failures + 1 : 0;
    if (before > 0 !== state.failures > 0)
      this.#failingRunning += (state.failures > 0 ? 1 : -1) * state.running.size;
    state.slowUntil = slowMs > 0 ? Math.max(state.slowUntil, nowMs + slowMs) : state.slowUntil;
    if (!failed) state.slowUntil = 0;
    state.nextAt = 0;
  }

  /** Put off a delivery that was claimed and not attempted. */
  putOff(turn: Turn, dueAt: number): void {
    if (this.giveUp(turn)) this.add(turn.no, { seq: turn.seq, dueAt });
  }

  /** Forget a delivery that was claimed and not attempted; whether it was. */
  giveUp({ no, seq }: Turn): boolean {
    const state = this.#lanes.get(no);
    if (state === undefined || !state.running.delete(seq)) return false;
    if (state.failures > 0) this.#failingRunning -= 1;
    return true;
  }

  /** Forget an endpoint. Calls to it that are under way end unnoticed. */
  drop(no: number): void {
    const state = this.#lanes.get(no);
    if (state === undefined) return;
    if (state.failures > 0) this.#failingRunning -= state.running.size;
    this.#lanes.delete(no);
  }

  /**
   * Say when a delivery that is due by itself is tried next at the earliest: no sooner than its endpoint may be sent to. One of an
   * ordered endpoint, or of one with a rate, comes after those before it. Null where its endpoint is paused: time alone sends it nothing.
   */
  turnAt({ no, seq }: Turn, nowMs: number): number | null {
    const state = this.#lanes.get(no);
    if (state?.lane.isActive !== true) return null;
    const { lane, waiting } = state;
    const { rateLimit, ordered } = lane;
    const own = waiting.get(seq) ?? 0;
    let at = Math.max(own, state.slowUntil);
    if (rateLimit === undefined && !ordered) return at;
    let [ahead, isPast] = [0, false];
    for (const [other, dueAt] of waiting) {
      isPast ||= other === seq;
      // Among those that are due by then, they come in the order in which they wait.
      const isAhead = ordered ? other < seq : isPast ? dueAt < own : dueAt <= own;
      if (!isAhead) continue;
      ahead += 1;
      at = Math.max(at, dueAt);
    }
    return rateLimit === undefined ? at : Math.max(at, this.#rateAt(state, nowMs, ahead));
  }

  /** When the next turn is, as far as time decides it; null where nothing waits but for a call's end. */
  nextAt(nowMs: number): number | null {
    let next: number | null = null;
    for (const state of this.#lanes.values()) {
      if (!state.lane.isActive || state.waiting.size === 0 || this.#isFull(state)) continue;
      const at = Math.max(
        state.nextAt > 0 ? state.nextAt : this.#dueOf(state),
        state.slowUntil,
        this.#rateAt(state, nowMs),
      );
      if (next === null || at < next) next = at;
    }
    return next;
  }

  #mayRun(state: LaneState, nowMs: number): boolean {
    return state.lane.isActive && state.waiting.size > 0 && !this.#isFull(state) && state.slowUntil <= nowMs;
  }

  /** Whether a call has to end first. */
  #isFull({ lane, failures, running }: LaneState): boolean {
    if (lane.ordered)
      return running.size > 0 || (failures > 0 && this.#failingRunning >= this.#failingAtOnce);
    return failures > 0 && (running.size > 0 || this.#failingRunning >= this.#failingAtOnce);
  }

  /** The delivery that has been due for longest, or of an ordered endpoint the first one where it is due. */
  #pick(state: LaneState, nowMs: number): number | null {
    if (!state.lane.ordered)
      // The first one that is due, not the one that has been for longest: all wait in the order in which they came.
      for (const [seq, dueAt] of state.waiting) if (dueAt <= nowMs) return seq;
    const dueAt = this.#dueOf(state);
    if (dueAt <= nowMs) return Math.min(...state.waiting.keys());
    state.nextAt = dueAt;
    return null;
  }

  #dueOf({ lane, waiting }: LaneState): number {
    if (lane.ordered) return waiting.get(Math.min(...waiting.keys()))!;
    let first = Number.POSITIVE_INFINITY;
    for (const dueAt of waiting.values()) first = Math.min(first, dueAt);
    return first;
  }

  #draw(state: LaneState, nowMs: number): boolean {
    if (state.lane.rateLimit === undefined) return true;
    const drawn = decideGcra(state.tatMs, nowMs, state.lane.rateLimit);
    if (drawn.allowed) state.tatMs = drawn.tatMs;
    else state.nextAt = nowMs + Math.max(1, drawn.retryAfterMs);
    return drawn.allowed;
  }

  /** @param ahead so many draw before */
  #rateAt({ lane, tatMs }: LaneState, nowMs: number, ahead = 0): number {
    if (lane.rateLimit === undefined) return 0;
    const { allowed } = decideGcra(tatMs, nowMs, lane.rateLimit);
    if (allowed && ahead === 0) return 0;
    const draw = { ...lane.rateLimit, ahead: allowed ? ahead - 1 : ahead };
    return nowMs + decideGcra(tatMs, nowMs, draw).retryAfterMs;
  }
}
