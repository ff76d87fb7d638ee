import { type Failure, makeFailure } from "../contract/failure.ts";
import { countLongNumbers } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { countValues } from "../contract/parse-json.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { CallClock } from "./call-clock.ts";
import type { RequestBytes, Waiting } from "./isolate-bytes.ts";

/** Bodies up to this are small: large ones leave a part of the budget to them. */
export const SMALL_BODY = 64 * 1024;

/** The count of a number whose digits are kept, besides itself. */
const LONG_NUMBER = 2;

/** JSON of a request's first responses whose values are not counted: most requests never read more. */
const UNCOUNTED = 64 * 1024;

/**
 * The bytes and JSON values that all upstream responses of one request may hold together, so that no mix of them fills an
 * isolate.
 *
 * Bytes that are given back can be taken again: only held bytes count. A part of the bytes is a reserve that large bodies leave
 * alone, so that a small answer, or a write's, is never refused because greedy siblings took everything.
 */
export class ByteBudget {
  #left: number;
  readonly #reserve: number;
  #uncounted = UNCOUNTED;
  readonly #mostValues: number;
  #values: number;
  readonly #openShare: (() => RequestBytes) | undefined;
  #share: RequestBytes | undefined;
  /** The held bytes, as an isolate counts them, and the part of them that is the isolate's to count. */
  #held = 0;
  #shared = 0;
  /** The part of it that belongs to calls that go on. */
  #running = 0;
  /** Calls that wait for what others of the request will give back, in the order in which they began to. */
  readonly #queue: Queued[] = [];
  /** The bytes that these hold: they give none of them back while they wait. */
  #waiting = 0;

  /**
   * @param reserve bytes on top that are not for everyone
   * @param options `values`: JSON values of all texts together; `share`: what is held of the isolate's bytes, where somebody
   *   counts them
   */
  constructor(bytes: number, reserve = 0, { values = LIMITS.requestValues, share }: BudgetOptions = {}) {
    this.#left = bytes + reserve;
    this.#reserve = reserve;
    this.#mostValues = values;
    // Two characters have one value at most, so the texts that are not counted have no more than is held back here.
    this.#values = values - UNCOUNTED / 2;
    this.#openShare = share;
  }

  /**
   * Take `bytes`, or answer false when they are no longer there. A refusal takes nothing, so one response that is too
   * large does not cost the small ones beside it.
   *
   * @param spared the part of the reserve, from 0 to 1, that has to be left for others
   */
  take(bytes: number, spared = 1): boolean {
    if (bytes > this.#left - spared * this.#reserve) return false;
    this.#left -= bytes;
    this.#held += bytes;
    this.#running += bytes;
    return true;
  }

  /** Take of the isolate's bytes what was taken here; what to wait for where that needs a turn. */
  share(isSmall: boolean): (Waiting & { readonly bytes: number }) | null {
    const bytes = this.#due();
    if (bytes === 0) return null;
    this.#share ??= this.#openShare!();
    this.#shared += bytes;
    return this.#share.take(bytes, isSmall) ? null : { ...this.#share.wait(bytes, isSmall), bytes };
  }

  /** Hold what is made of what was read, until the answer is written; what to wait for where that needs a turn. */
  hold(bytes: number): Waiting | null {
    this.#held += bytes;
    const turn = this.share(bytes <= SMALL_BODY);
    const settle = (isGranted: boolean): boolean => {
      if (!isGranted) this.unshare(turn!.bytes);
      if (!isGranted) this.#drop(bytes);
      // It grows no more, however long its batch goes on.
      else this.#share?.rest(bytes);
      return isGranted;
    };
    if (turn !== null) return { ...turn, granted: turn.granted.then(settle) };
    settle(true);
    return null;
  }

  /** The isolate did not have them. */
  unshare(bytes: number): void {
    this.#shared -= bytes;
  }

  /** Take bytes as soon as others of the request have given enough back; false where those that go on hold too little for that. */
  takeInTurn(wanted: Wanted): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#queue.push({ ...wanted, settle: resolve });
    this.#waiting += wanted.own;
    this.#serve();
    return promise;
  }

  /** Give back bytes that are held no longer. */
  give(bytes: number, values = 0): void {
    this.#left += bytes;
    this.#values += values;
    this.#running -= sizeOf(bytes, values);
    this.#drop(sizeOf(bytes, values));
    this.#serve();
  }

  /** A call is over and so much of what it has read is held for the answer. */
  rest(bytes: number, values: number): void {
    this.#running -= sizeOf(bytes, values);
    this.#share?.rest(sizeOf(bytes, values));
    this.#serve();
  }

  /** The answer is written: whatever calls that are over have read is not held for it any more. */
  release(): void {
    this.#drop(this.#held - this.#running);
  }

  /** Take the values that a text will have when it is parsed, or say why it may not be. Gives how many were taken. */
  takeValues(text: string): Result<number, Failure> {
    if (text.length < this.#uncounted) {
      this.#uncounted -= text.length + 1;
      return ok(0);
    }
    const most = Math.min(LIMITS.responseValues, this.#values);
    const plain = countValues(text, most);
    // A number whose digits are kept is made by hand, which costs as much as a few that are not.
    const values = plain > most ? plain : plain + LONG_NUMBER * countLongNumbers(text, most);
    if (values > most)
      return err(most === LIMITS.responseValues ? TOO_MANY_VALUES : valuesSpent(this.#mostValues));
    this.#held += sizeOf(0, values);
    const turn = this.share(true);
    if (turn !== null) {
      // Nothing can wait here, and a text that was read is no longer than what is counted of it.
      turn.cancel();
      this.unshare(turn.bytes);
      this.#drop(sizeOf(0, values));
      return err(OVERLOADED);
    }
    this.#values -= values;
    return ok(values);
  }

  /** A call that goes on holds them. */
  run(values: number): void {
    this.#running += sizeOf(0, values);
  }

  /** Give those that wait what there is, the first one first. */
  #serve(): void {
    for (;;) {
      const [first] = this.#queue;
      if (first === undefined) return;
      const { bytes, spared, settle } = first;
      const isTaken = this.take(bytes, spared);
      const inSight = this.#left - spared * this.#reserve + this.#running - this.#waiting;
      if (!isTaken && bytes <= inSight) return;
      this.#queue.shift();
      this.#waiting -= first.own;
      settle(isTaken);
    }
  }

  #due(): number {
    return this.#openShare === undefined ? 0 : Math.max(0, this.#held - LIMITS.uncountedBytes - this.#shared);
  }

  #drop(size: number): void {
    this.#held -= size;
    const surplus = this.#shared - Math.max(0, this.#held - LIMITS.uncountedBytes);
    if (surplus <= 0) return;
    this.#shared -= surplus;
    this.#share?.give(surplus);
  }
}

/** Bytes that a call waits for. */
interface Wanted {
  readonly bytes: number;
  /** The part of the reserve, from 0 to 1, that has to be left for others. */
  readonly spared: number;
  /** The bytes that the call holds itself. */
  readonly own: number;
}

interface Queued extends Wanted {
  readonly settle: (isTaken: boolean) => void;
}

export interface BudgetOptions {
  readonly values?: number;
  readonly share?: (() => RequestBytes) | undefined;
}

/** The size of bytes and values in an isolate's count. */
function sizeOf(bytes: number, values: number): number {
  return bytes + LIMITS.valueBytes * values;
}

/**
 * The part of its request's budget that one call holds: the responses that it has read whole. It gives back what its output no
 * longer needs, and whatever a request that outlives the call still brings.
 */
export class CallBytes {
  readonly #budget: ByteBudget;
  readonly #isWrite: boolean;
  readonly #weight: number;
  #bytes = 0;
  /** The part of them that is held for bindings. */
  #bound = 0;
  #values = 0;
  #waiting = 0;
  #isOver = false;

  /** @param weight how often each byte counts: what is searched for secrets costs as much again as reading it */
  constructor(budget: ByteBudget, isWrite: boolean, weight = 1) {
    this.#budget = budget;
    this.#isWrite = isWrite;
    this.#weight = weight;
  }

  /** Take bytes for a response that has `total` of them so far, these included. The caller that took them keeps or gives them. */
  take(bytes: number, total: number): boolean {
    return this.#budget.take(bytes * this.#weight, this.#spares(total));
  }

  /** The part of the reserve that is left for others: a write cannot be sent again, so it may use most; a large read may use none. */
  #spares(total: number): number {
    const isSmall = total <= SMALL_BODY;
    return this.#isWrite ? (isSmall ? 0 : 1 / 2) : isSmall ? 1 / 4 : 1;
  }

  /**
   * Take them of the isolate's bytes too: null where that was done at once, else a promise. While its responses wait, the
   * call's clock stands still.
   *
   * @throws ToolFailure `OVERLOADED` where it never was their turn; they are given back then
   */
  share(bytes: number, total: number, clock: CallClock): Promise<void> | null {
    const turn = this.#budget.share(total <= SMALL_BODY);
    return turn === null ? null : this.#await(turn, bytes, clock);
  }

  async #await(turn: Waiting & { readonly bytes: number }, bytes: number, clock: CallClock): Promise<void> {
    this.#waiting += 1;
    clock.pause();
    const stopListening = clock.onEnd(turn.cancel);
    const isGranted = await turn.granted;
    stopListening();
    this.#waiting -= 1;
    if (this.#waiting === 0) clock.resume();
    if (isGranted) return;
    this.#budget.unshare(turn.bytes);
    this.give(bytes);
    throw clock.ended ?? new ToolFailure(OVERLOADED.code, OVERLOADED);
  }

  give(bytes: number): void {
    this.#budget.give(bytes * this.#weight);
  }

  /** Hold the bytes of a response that was read whole. */
  keep(bytes: number): void {
    if (this.#isOver) this.give(bytes);
    else this.#bytes += bytes * this.#weight;
  }

  /**
   * Hold so many bytes for what bindings answer, in place of what was held for that before. A call that finds no room waits for
   * others of its request to end, and for the isolate's turn: calls that read beside each other are not to refuse each other.
   *
   * @throws ToolFailure `RESPONSE_TOO_LARGE` where the request may not hold so many, `OVERLOADED` where it never was their turn, the
   *   clock's own failure when time runs out
   */
  async hold(bytes: number, clock: CallClock): Promise<void> {
    if (this.#isOver) return;
    const more = bytes - this.#bound;
    if (more <= 0) {
      this.#bound = bytes;
      this.#bytes += more * this.#weight;
      this.give(-more);
      return;
    }
    const wanted = { bytes: more * this.#weight, spared: this.#spares(bytes), own: this.#bytes };
    const giveBack = (isTaken: boolean): void => this.give(isTaken ? more : 0);
    if (!(await clock.orEnd(this.#budget.takeInTurn(wanted), giveBack))) throw budgetSpent();
    const turn = this.share(more, bytes, clock);
    if (turn !== null) await turn;
    this.#bound += more;
    this.keep(more);
  }

  /** Hold the values of a text that is about to be parsed, or throw `RESPONSE_TOO_LARGE` or `OVERLOADED`. */
  keepValues(text: string): void {
    const taken = this.#budget.takeValues(text);
    if (!taken.ok) throw new ToolFailure(taken.error.code, taken.error);
    this.#budget.run(taken.value);
    if (this.#isOver) this.#budget.give(0, taken.value);
    else this.#values += taken.value;
  }

  /** An attempt failed: nothing of what it read is needed. */
  drop(): void {
    this.#budget.give(this.#bytes, this.#values);
    this.#bytes = 0;
    this.#bound = 0;
    this.#values = 0;
  }

  /**
   * The call is over.
   *
   * @param outputBytes what is held of its output; a tool that makes little of much gives the rest back
   */
  end(outputBytes: number): void {
    this.#isOver = true;
    if (outputBytes === 0) return this.drop();
    const kept = Math.min(outputBytes * this.#weight, this.#bytes);
    this.#budget.give(this.#bytes - kept);
    this.#budget.rest(kept, this.#values);
  }
}

export function budgetSpent(): ToolFailure {
  return new ToolFailure("RESPONSE_TOO_LARGE", {
    hint: "The answers of this batch together are too large; ask for less, or for fewer things at once.",
  });
}

/** Says that a call found no room in its tenant's bytes. */
export const OVERLOADED = makeFailure("OVERLOADED", {
  retryAfterMs: 1_000,
  hint: "Other requests hold too much at the moment; try again, or ask for less at once.",
});

const TOO_MANY_VALUES = /* @__PURE__ */ makeFailure("RESPONSE_TOO_LARGE", {
  hint: `One answer of a service may have ${LIMITS.responseValues} JSON values; ask for less.`,
});

const valuesSpent = (most: number): Failure =>
  makeFailure("RESPONSE_TOO_LARGE", {
    hint: `The data of one batch may have ${most} JSON values together; ask for less, or for fewer things at once.`,
  });
