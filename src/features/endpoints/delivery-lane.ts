import { decideGcra, type GcraRate } from "../../core/kit/gcra.ts";
import * as LIMITS from "./limits.ts";

/** How an endpoint is to be delivered to. */
export interface LaneRules {
  readonly isActive: boolean;
  readonly ordered: boolean;
  readonly rateLimit?: GcraRate | undefined;
}

/** The deliveries to one endpoint: those that wait, those that are under way, and when its next one may begin. In memory, pure. */
export class DeliveryLane {
  readonly no: number;
  rules: LaneRules;
  /** By its place in the order of publishing: when it is due. */
  readonly waiting = new Map<number, number>();
  /** By the same: since when it is under way. */
  readonly running = new Map<number, number>();
  /** Failed attempts in a row. */
  failures = 0;
  /** No delivery of it is due before; 0 where that has to be looked for. */
  #nextAt = 0;
  #slowUntil = 0;
  #tatMs = 0;
  #last: LastAnswer | null = null;
  readonly #lastOf: (no: number) => LastAnswer;

  /** @param lastOf says what is kept of its last attempt; asked when the first delivery waits */
  constructor(no: number, rules: LaneRules, lastOf: (no: number) => LastAnswer) {
    this.no = no;
    this.rules = rules;
    this.#lastOf = lastOf;
  }

  /** How its last attempt went. */
  get last(): LastAnswer {
    return (this.#last ??= this.#lastOf(this.no));
  }

  set last(last: LastAnswer) {
    this.#last = last;
  }

  /** The lane as it asks for a place; null where no delivery waits that one could be for. */
  asker(nowMs: number): Asker | null {
    const { rules, waiting, running } = this;
    if (!rules.isActive || waiting.size === 0 || (rules.ordered && running.size > 0)) return null;
    return { last: this.last, calls: running.size, lags: this.lags(nowMs) };
  }

  /** Whether a call is under way for longer than a quick answer takes. */
  lags(nowMs: number): boolean {
    for (const startedAt of this.running.values())
      if (nowMs - startedAt > LIMITS.endpointQuickMs) return true;
    return false;
  }

  /** Say how it is to be delivered to from now on. */
  set(rules: LaneRules): void {
    this.rules = rules;
    this.#nextAt = 0;
  }

  add(seq: number, dueAt: number): void {
    this.waiting.set(seq, dueAt);
    this.#nextAt = 0;
  }

  /** Begin the delivery that has been due for longest, or of an ordered endpoint the first one; null where time forbids. */
  begin(nowMs: number): number | null {
    if (this.#nextAt > nowMs || this.#slowUntil > nowMs) return null;
    const seq = this.#pick(nowMs);
    if (seq === null || !this.#draw(nowMs)) return null;
    this.waiting.delete(seq);
    this.running.set(seq, nowMs);
    return seq;
  }

  /** Note how an attempt went. @param slowMs how long the others are to wait */
  note(nowMs: number, { last, slowMs }: { readonly last: LastAnswer; readonly slowMs: number }): void {
    const failed = last === "failed";
    this.last = last;
    this.failures = failed ? this.failures + 1 : 0;
    this.#slowUntil = failed ? Math.max(this.#slowUntil, slowMs > 0 ? nowMs + slowMs : 0) : 0;
    this.#nextAt = 0;
  }

  /** When the next one may begin, as far as time decides it. */
  nextAt(nowMs: number): number {
    const dueAt = this.#nextAt > 0 ? this.#nextAt : this.#dueOf();
    return Math.max(dueAt, this.#slowUntil, this.#rateAt(nowMs));
  }

  /**
   * Say when a delivery that is due by itself is tried next at the earliest: no sooner than the endpoint may be sent to. One of an
   * ordered endpoint, or of one with a rate, comes after those before it. Null where it is paused: time alone sends it nothing.
   */
  turnAt(seq: number, nowMs: number): number | null {
    const { rateLimit, ordered, isActive } = this.rules;
    if (!isActive) return null;
    const own = this.waiting.get(seq) ?? 0;
    let at = Math.max(own, this.#slowUntil);
    if (rateLimit === undefined && !ordered) return at;
    let [ahead, isPast] = [0, false];
    for (const [other, dueAt] of this.waiting) {
      isPast ||= other === seq;
      // Among those that are due by then, they come in the order in which they wait.
      const isAhead = ordered ? other < seq : isPast ? dueAt < own : dueAt <= own;
      if (!isAhead) continue;
      ahead += 1;
      at = Math.max(at, dueAt);
    }
    return rateLimit === undefined ? at : Math.max(at, this.#rateAt(nowMs, ahead));
  }

  #pick(nowMs: number): number | null {
    if (!this.rules.ordered)
      // The first one that is due, not the one that has been for longest: all wait in the order in which they came.
      for (const [seq, dueAt] of this.waiting) if (dueAt <= nowMs) return seq;
    const dueAt = this.#dueOf();
    if (dueAt <= nowMs) return Math.min(...this.waiting.keys());
    this.#nextAt = dueAt;
    return null;
  }

  #dueOf(): number {
    if (this.rules.ordered) return this.waiting.get(Math.min(...this.waiting.keys()))!;
    let first = Number.POSITIVE_INFINITY;
    for (const dueAt of this.waiting.values()) first = Math.min(first, dueAt);
    return first;
  }

  #draw(nowMs: number): boolean {
    const { rateLimit } = this.rules;
    if (rateLimit === undefined) return true;
    const drawn = decideGcra(this.#tatMs, nowMs, rateLimit);
    if (drawn.allowed) this.#tatMs = drawn.tatMs;
    else this.#nextAt = nowMs + Math.max(1, drawn.retryAfterMs);
    return drawn.allowed;
  }

  /** @param ahead so many draw before */
  #rateAt(nowMs: number, ahead = 0): number {
    const { rateLimit } = this.rules;
    if (rateLimit === undefined) return 0;
    const { allowed } = decideGcra(this.#tatMs, nowMs, rateLimit);
    if (allowed && ahead === 0) return 0;
    const draw = { ...rateLimit, ahead: allowed ? ahead - 1 : ahead };
    return nowMs + decideGcra(this.#tatMs, nowMs, draw).retryAfterMs;
  }
}

/** How an endpoint's last attempt went; `none` where it has never answered. */
export type LastAnswer = "quick" | "slow" | "failed" | "none";

/** An endpoint that asks for a place. */
export interface Asker {
  readonly last: LastAnswer;
  /** Calls to it that are under way, and whether one of them takes longer than a quick answer does. */
  readonly calls: number;
  readonly lags: boolean;
}

/** The places of an object that are taken, and how many of them by calls to endpoints that may hold theirs for long. */
export interface Taken {
  readonly all: number;
  readonly suspect: number;
}

/**
 * Say whether an endpoint may have a place: `now`, `spare` where none waits that may have one now, or null until a call ends.
 *
 * An endpoint has one place, and those that were slow or failed last, or never answered, have a third of them together. Spare are what is
 * left but for a third, which stays free for what comes next: more calls of an endpoint that answers quickly, and first ones.
 */
export function sharePlace(asker: Asker, taken: Taken, places: number): "now" | "spare" | null {
  if (taken.all >= places) return null;
  const third = Math.max(1, Math.floor(places / 3));
  const isSuspect = isSuspectCall(asker);
  if (asker.calls === 0 && (!isSuspect || taken.suspect < third)) return "now";
  const maySpare = asker.calls === 0 ? asker.last === "none" : !isSuspect;
  return maySpare && taken.all < places - third ? "spare" : null;
}

/** Whether calls to an endpoint may hold their places for long. */
export function isSuspectCall({ last, lags }: Pick<Asker, "last" | "lags">): boolean {
  return last !== "quick" || lags;
}

/** The last answer of an endpoint whose attempt is over. */
export function toLastAnswer(failed: boolean, tookMs: number): LastAnswer {
  if (failed) return "failed";
  return tookMs > LIMITS.endpointQuickMs ? "slow" : "quick";
}
