import type { Clock } from "./clock.ts";

/** Takes text; resolved when there is room for more. It never rejects. */
export type TextSink = (text: string) => Promise<void>;

/** Characters that are written at once, and that may wait for their turn: more would only be copied. */
const MOST = 64 * 1024;
/** The least pause between two writes that can wait: all that comes in it is one write, and no person sees it. */
const PAUSE_MS = 5;
/**
 * The pauses that are saved while nothing is written, so that the next writes have none: a model's first word comes right behind the
 * events that begin its answer.
 */
const SAVED_MS = 3 * PAUSE_MS;

/**
 * Writes texts in their order, those that come close together in one piece: a write is a turn of the platform's, which costs more
 * than all the rest that is done for a word of a model. The first few texts that come after a pause go out at once.
 *
 * Characters that were not taken yet are bounded: beyond `MOST` of them `write` is over only when all were taken.
 */
export class PacedWriter {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  #waiting: string[] = [];
  /** Characters that were not taken yet, those that are being written included. */
  #length = 0;
  #isUrgent = false;
  #writing: Promise<void> | null = null;
  #stopPause: (() => void) | null = null;
  #pauseEndsAt = Number.NEGATIVE_INFINITY;

  constructor(sink: TextSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Write within a few milliseconds; resolved when the next text may come. */
  write(text: string): Promise<void> {
    this.#add(text, this.#length + text.length > MOST);
    return this.#length > MOST ? this.flush() : Promise.resolve();
  }

  /** Write now, behind what waits. */
  writeNow(text: string): void {
    this.#add(text, true);
  }

  /** Write now what waits; resolved when all of it was taken. */
  flush(): Promise<void> {
    this.#isUrgent = this.#waiting.length > 0;
    this.#go();
    return this.#writing ?? Promise.resolve();
  }

  #add(text: string, isUrgent: boolean): void {
    this.#waiting.push(text);
    this.#length += text.length;
    this.#isUrgent ||= isUrgent;
    this.#go();
  }

  #go(): void {
    if (this.#writing !== null || this.#waiting.length === 0) return;
    // A clock that was set back makes no pause longer.
    const pauseMs = this.#isUrgent ? 0 : Math.min(PAUSE_MS, this.#pauseEndsAt - this.#clock.now());
    if (pauseMs > 0) {
      this.#stopPause ??= this.#clock.after(pauseMs, () => void this.flush());
      return;
    }
    this.#stopPause?.();
    this.#stopPause = null;
    this.#writing = this.#drain();
  }

  async #drain(): Promise<void> {
    do {
      const text = takeSome(this.#waiting);
      await this.#sink(text);
      this.#length -= text.length;
    } while (this.#isUrgent && this.#waiting.length > 0);
    this.#isUrgent = false;
    const now = this.#clock.now();
    this.#pauseEndsAt = Math.min(now, Math.max(now - SAVED_MS, this.#pauseEndsAt)) + PAUSE_MS;
    this.#writing = null;
    this.#go();
  }
}

/** Take from the front what is written at once: one text, and those that follow it while they are short. */
function takeSome(waiting: string[]): string {
  let count = 1;
  let length = waiting[0]!.length;
  for (; count < waiting.length; count += 1) {
    length += waiting[count]!.length;
    if (length > MOST) break;
  }
  const taken = waiting.splice(0, count);
  return count === 1 ? taken[0]! : taken.join("");
}
