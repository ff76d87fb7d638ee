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
