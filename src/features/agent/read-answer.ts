import * as LIMITS from "./limits.ts";
import type { Clock } from "../../feature/kit.ts";
import { attempt, attemptNow, type Refusal } from "../../feature/refuse.ts";
import type { HeldBytes } from "../../feature/outside.ts";
import { countValues, exceedsDepth } from "../../core/contract/parse-json.ts";

/** Waits for one thing after the other, and for none of them once a signal aborts. */
export interface Wait {
  /** The promise, or the signal's reason as soon as it aborts: what never settles must not hold anything up. */
  <T>(work: Promise<T>): Promise<T>;
}

/** One listener however often is waited: a stream has as many pieces as it has words. */
export function createWait(signal: AbortSignal): Wait {
  let stop: ((reason: unknown) => void) | null = null;
  signal.addEventListener("abort", () => stop?.(signal.reason), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      stop = reject;
      work.then(resolve, reject);
    });
}

/** How a body is waited for, and by which clock. */
export interface Reading {
  readonly wait: Wait;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Read a model's body piece by piece while `onPiece` wants more; false when it broke off, or came in more than
 * `LIMITS.modelPieces` pieces. The rest of it is cancelled, which tells its server that its answer is not read any more.
 *
 * @param onPiece given bytes that are its own until it is over: the next piece may come in the same memory
 */
export async function readPieces(
  { body }: Pick<Response, "body">,
  { wait, clock }: Reading,
  onPiece: (piece: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  if (body === null) return true;
  const reader = openReader(body as ReadableStream<Uint8Array>);
  const pace = new ReadingPace(clock.now());
  const read = await attempt(async () => {
    for (let pieces = 0; pieces < LIMITS.modelPieces; pieces += 1) {
      const { done, value } = await wait(reader.read(pace.least));
      if (value !== undefined && value.length > 0) {
        pace.saw(value.length, clock.now());
        if (!(await onPiece(value))) return;
      }
      if (done) return;
    }
    throw new RangeError("Cannot read the model's answer: it comes in too many pieces");
  });
  void attempt(() => reader.cancel());
  return read.ok;
}

/**
 * Read a model's body as text; null where it broke off or has more than so many bytes.
 *
 * @param hold asked before each piece is kept, with the bytes of all; where it says no, nothing more is read
 */
export async function readText(
  response: Response,
  reading: Reading,
  limit: number,
  hold: (bytes: number) => Promise<boolean> = async () => true,
): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  const parts: string[] = [];
  let bytes = 0;
  let isHeld = true;
  const read = await readPieces(response, reading, async (piece) => {
    bytes += piece.length;
    isHeld = bytes <= limit && (await hold(bytes));
    if (isHeld) parts.push(decoder.decode(piece, { stream: true }));
    return isHeld;
  });
  return read && isHeld ? parts.join("") + decoder.decode() : null;
}

/** Bytes that one read gives at most. */
const ROOM = 16 * 1024;

interface Piece {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

interface Reader {
  /** The next bytes: at least so many, or what there is before the end. */
  readonly read: (least: number) => Promise<Piece>;
  readonly cancel: () => Promise<void>;
}

/** Not every runtime's declarations have the option yet; one that did not know it would give what is there. */
interface ByteReader {
  read(view: Uint8Array, options: { readonly min: number }): Promise<Piece>;
  cancel(): Promise<void>;
}

/** A body that came over a network is a stream of bytes; one that is made by hand may be none, and gives its own pieces. */
function openReader(body: ReadableStream<Uint8Array>): Reader {
  const ofBytes = attemptNow(() => body.getReader({ mode: "byob" }) as ByteReader);
  if (!ofBytes.ok) {
    const reader = body.getReader();
    return { read: () => reader.read(), cancel: () => reader.cancel() };
  }
  const reader = ofBytes.value;
  let room: Uint8Array = new Uint8Array(ROOM);
  return {
    read: async (least) => {
      const piece = await reader.read(room, { min: Math.min(least, ROOM) });
      if (piece.value !== undefined) room = new Uint8Array(piece.value.buffer);
      return piece;
    },
    cancel: () => reader.cancel(),
  };
}

/** Reads after which is looked how fast a stream is. */
const READS = 256;
/** Four pieces in a millisecond: no model says words faster, and a person sees none of them apart. */
const QUICK_MS = 64;
/** As many pieces are asked for at once then: their number is what is held back at most when the stream pauses. */
const AT_ONCE = 16;

/**
 * How many bytes of a stream to ask for at least: one, so that each word is there when it was said, and of a stream that comes
 * faster than any model speaks as many as 16 of its pieces have. Each read is a turn of the platform's, which costs more than all
 * that is done for a word.
 *
 * Bytes that are asked for at once are held back until they are complete or the stream ends. That happens once: a read that was
 * not quick makes the next ask for one byte again.
 */
export class ReadingPace {
  #least = 1;
  #reads = 0;
  #bytes = 0;
  #since: number;

  constructor(now: number) {
    this.#since = now;
  }

  /** The bytes to ask for at least. */
  get least(): number {
    return this.#least;
  }

  /** A read gave so many bytes. */
  saw(bytes: number, now: number): void {
    this.#reads += 1;
    this.#bytes += bytes;
    const isQuick = now - this.#since <= QUICK_MS;
    if (isQuick && this.#reads < READS) return;
    // Reads of many pieces do not say how large one is.
    this.#least = isQuick && this.#least === 1 ? Math.ceil((this.#bytes * AT_ONCE) / READS) : 1;
    this.#reads = 0;
    this.#bytes = 0;
    this.#since = now;
  }
}

/** The bytes that one answer of a model takes: they grow while it is read. */
export class AnswerBytes {
  readonly #bytes: HeldBytes;
  readonly #signal: AbortSignal;
  #held = 0;
  #refused: Refusal | null = null;

  constructor(bytes: HeldBytes, signal: AbortSignal) {
    this.#bytes = bytes;
    this.#signal = signal;
  }

  /** Why it may not grow any more; null while it may. */
  get refused(): Refusal | null {
    return this.#refused;
  }

  /** Hold so many in all, when it is their turn; whether they are held. */
  async growTo(bytes: number): Promise<boolean> {
    const more = bytes - this.#held;
    if (more <= 0 || this.#refused !== null) return this.#refused === null;
    this.#refused = await this.#bytes.hold(more, this.#signal);
    if (this.#refused === null) this.#held = bytes;
    return this.#refused === null;
  }

  /** The answer is none. */
  drop(): void {
    this.#bytes.give(this.#held);
    this.#held = 0;
  }
}

/** A shorter text cannot have too much of anything, and is not looked at. */
const SHORT_TEXT = 4_096;

/** Whether text may be parsed: it has no more values and no more levels than a conversation may have. */
export function isBearable(text: string): boolean {
  if (text.length <= SHORT_TEXT) return true;
  if (exceedsDepth(text, LIMITS.agentNesting)) return false;
  return countValues(text, LIMITS.modelValues) <= LIMITS.modelValues;
}
