import * as LIMITS from "../contract/limits.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import type { RequestBytes } from "./isolate-bytes.ts";

/** A request that holds no more need not wait for large ones. */
const SMALL = 64 * 1024;

/** The bytes that a round's batches take at least, besides what they read: their reserve, and their values. */
const BATCH_BYTES = LIMITS.responseReserveBytes + LIMITS.valueBytes * LIMITS.requestValues;

/**
 * The bytes of its tenant that one request holds besides responses: what it sends and what is made of that, until its answer has
 * been read. A request to a model holds its conversation, what the model answers and what its tools answered; the batches of its
 * rounds take theirs from the same account, so that a request never waits for itself.
 *
 * All of it rests: a request waits for its model for minutes, and must not keep others of its tenant from their turn meanwhile.
 */
export class HeldBytes {
  readonly #account: RequestBytes | undefined;
  #held = 0;
  /** The part of it that is the isolate's to count. */
  #counted = 0;
  #isLeft = false;

  /** @param open opens the request's account; absent where nothing is counted */
  constructor(open?: () => RequestBytes) {
    this.#account = open?.();
  }

  /** The bytes that one more batch of it may read. */
  get leftToRead(): number {
    if (this.#account === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#account.left - BATCH_BYTES);
  }

  /** Hold so many more at once; false where that needs a turn, or is too much. */
  take(bytes: number): boolean {
    const due = this.#dueFor(bytes);
    if (due > 0 && !this.#account!.take(due, this.#isSmallWith(bytes))) return false;
    this.#add(bytes, due);
    return true;
  }

  /** Hold so many more, when it is their turn; why not, or null. */
  async hold(bytes: number, signal?: AbortSignal): Promise<Refusal | null> {
    const due = this.#dueFor(bytes);
    if (due > 0 && due > this.#account!.left) return TOO_LARGE;
    if (due > 0 && !(await this.#account!.hold(due, this.#isSmallWith(bytes), signal))) return CROWDED;
    this.#add(bytes, due);
    return null;
  }

  /** Give back so many. */
  give(bytes: number): void {
    this.#held -= bytes;
    const surplus = this.#counted - Math.max(0, this.#held - LIMITS.uncountedBytes);
    if (surplus <= 0) return;
    this.#counted -= surplus;
    this.#account?.give(surplus);
  }

  /** Hold no more than an answer takes; what gives it back when that has been read. */
  leaveTo({ length }: { readonly length: number }): () => void {
    this.give(Math.max(0, this.#held - length));
    return this.leave();
  }

  /** Leave everything to an answer that is told while it is made; what gives it back. */
  leave(): () => void {
    this.#isLeft = true;
    return () => this.give(this.#held);
  }

  /** Give everything back, unless it was left to an answer. */
  end(): void {
    if (!this.#isLeft) this.give(this.#held);
  }

  #isSmallWith(bytes: number): boolean {
    return this.#held + bytes <= SMALL;
  }

  #dueFor(bytes: number): number {
    if (this.#account === undefined) return 0;
    return Math.max(0, this.#held + bytes - LIMITS.uncountedBytes - this.#counted);
  }

  #add(bytes: number, due: number): void {
    this.#held += bytes;
    this.#counted += due;
    this.#account?.rest(due);
  }
}

const TOO_LARGE = makeRefusal(
  "BODY_TOO_LARGE",
  "The request and its answer take more than one may hold; send less, or ask for less at once.",
);

/** The refusal of a request that found no room in its tenant's bytes. Nothing was lost by it: the same request may be sent again. */
export const CROWDED = makeRefusal(
  "UNAVAILABLE",
  "Other requests hold too much at the moment; try again, or send fewer at once.",
  { retryAfterMs: 1_000 },
);
