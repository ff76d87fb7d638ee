import type { Clock } from "../../core/kit/clock.ts";

/** Turns of the real clock after which nothing more is expected to happen by itself. */
const REAL_TURNS = 1_000;

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when told to. Timers fire in order of their time, ties in the order they were set, and every
 * promise reaction that a timer causes runs before the next timer.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #outside = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs = 1_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Timers that are still set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** A promise that resolves after `delayMs` of virtual time. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Set the clock back or forth without firing anything, as an administrator would. */
  jump(byMs: number): void {
    this.#now += byMs;
  }

  /** Stand still until work that takes real time is over, such as a computation on another thread. */
  outside<T>(work: Promise<T>): Promise<T> {
    const end = (): void => void (this.#outside -= 1);
    this.#outside += 1;
    work.then(end, end);
    return work;
  }

  /** Let `ms` pass, firing what falls due. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settle();
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      this.#fire(next);
      await this.#settle();
    }
    this.#now = end;
  }

  /** Let time pass until `promise` settles; throws when no timer is left that could make it. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    const settled = new AbortController();
    const mark = (): void => settled.abort(null);
    promise.then(mark, mark);
    await this.#settle();
    while (!settled.signal.aborted) {
      const next = this.#next() ?? (await this.#nextLater(settled.signal));
      if (settled.signal.aborted) break;
      if (next === undefined) throw new Error("Cannot run until the promise settles: no timer is left");
      this.#fire(next);
      await this.#settle();
    }
    return promise;
  }

  /** Wait while nothing is left but work that takes real time, such as the digest of a key. */
  async #nextLater(settled: AbortSignal): Promise<Timer | undefined> {
    for (let turn = 0; turn < REAL_TURNS && !settled.aborted && this.#timers.size === 0; turn += 1)
      await new Promise((resolve) => void setTimeout(resolve, 1));
    return this.#next();
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.callback();
  }

  /** Let every promise reaction that is ready, and those they make ready, run. */
  async #settle(): Promise<void> {
    do await new Promise((resolve) => void setImmediate(resolve));
    while (this.#outside > 0 || computations.underWay > 0);
  }
}

/** Computations of Web Crypto that are under way. */
const computations = { underWay: 0 };
let isHeld = false;

/** Have every clock stand still while Web Crypto computes: libraries digest and sign by themselves, and tell no clock. */
export function holdForCrypto(): void {
  if (isHeld) return;
  isHeld = true;
  const subtle = crypto.subtle as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of COMPUTATIONS) {
    const compute = subtle[name]!.bind(subtle);
    subtle[name] = (...args) => {
      const end = (): void => void (computations.underWay -= 1);
      computations.underWay += 1;
      const work = compute(...args);
      work.then(end, end);
      return work;
    };
  }
}

const COMPUTATIONS = [
  "digest",
  "sign",
  "verify",
  "encrypt",
  "decrypt",
  "importKey",
  "exportKey",
  "generateKey",
  "deriveKey",
  "deriveBits",
  "wrapKey",
  "unwrapKey",
];
