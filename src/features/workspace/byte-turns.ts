import type { Clock } from "../../feature/kit.ts";

/** How many bytes may be under way at once, and for how long. */
export interface TurnLimits {
  /** Bytes under way together. */
  readonly bytes: number;
  /** How long a turn is waited for. */
  readonly waitMs: number;
  /** When a turn ends by itself: who had it may be gone. */
  readonly turnMs: number;
  /** Those that wait at once; one more has no turn. */
  readonly waiting: number;
}

interface Waiting {
  readonly bytes: number;
  readonly grant: (turn: number | null) => void;
}

/**
 * Turns to move bytes into an object or out of it, strictly in the order of asking: nothing small overtakes, so that nothing large
 * waits for good. One that is larger than all that may be under way moves alone.
 */
export class ByteTurns {
  readonly #limits: TurnLimits;
  readonly #clock: Clock;
  readonly #open = new Map<number, { readonly bytes: number; readonly stopTimer: () => void }>();
  readonly #queue = new Set<Waiting>();
  #underWay = 0;
  /** Not from one: a turn that is ended late must not be one of an object that has begun anew. */
  #last: number;

  constructor(limits: TurnLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#last = clock.now() * 1_000;
  }

  /** The bytes under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Wait for a turn of so many bytes; its number, or null where none came in time. */
  begin(bytes: number): Promise<number | null> {
    const { promise, resolve } = Promise.withResolvers<number | null>();
    if (this.#queue.size >= this.#limits.waiting) return Promise.resolve(null);
    const waiting: Waiting = {
      bytes: Math.min(bytes, this.#limits.bytes),
      grant: (turn) => {
        stopTimer();
        this.#queue.delete(waiting);
        resolve(turn);
      },
    };
    const stopTimer = this.#clock.after(this.#limits.waitMs, () => {
      waiting.grant(null);
      this.#serve();
    });
    this.#queue.add(waiting);
    this.#serve();
    return promise;
  }

  /** End a turn; nothing where it is over. */
  end(turn: number): void {
    const ended = this.#open.get(turn);
    if (ended === undefined) return;
    ended.stopTimer();
    this.#open.delete(turn);
    this.#underWay -= ended.bytes;
    this.#serve();
  }

  #serve(): void {
    for (const waiting of this.#queue) {
      const { bytes, grant } = waiting;
      if (this.#underWay + bytes > this.#limits.bytes) return;
      const turn = (this.#last += 1);
      this.#underWay += bytes;
      this.#open.set(turn, {
        bytes,
        stopTimer: this.#clock.after(this.#limits.turnMs, () => this.end(turn)),
      });
      grant(turn);
    }
  }
}
