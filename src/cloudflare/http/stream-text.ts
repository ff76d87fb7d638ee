import * as LIMITS from "../../core/contract/limits.ts";
import type { Clock } from "../../core/kit/clock.ts";

/** Characters of one chunk. */
const CHUNK = 64 * 1024;

export interface StreamTextOptions {
  readonly clock: Clock;
  /** Called once: the text was read, or its reader is gone. */
  readonly onEnd: () => void;
}

/**
 * Make a stream of a text, which is encoded only as its reader asks for it. The stream breaks off where the reader asks for nothing for
 * `LIMITS.answerIdleMs`, so that no client keeps an answer for good.
 */
export function streamText(text: string, { clock, onEnd }: StreamTextOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = 0;
  let stopTimer = (): void => {};
  const end = (): void => {
    stopTimer();
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        stopTimer();
        if (at >= text.length) {
          controller.close();
          end();
          return;
        }
        const to = endOfChunk(text, at);
        controller.enqueue(encoder.encode(text.slice(at, to)));
        at = to;
        stopTimer = clock.after(LIMITS.answerIdleMs, () => {
          controller.error(new Error("Cannot answer: the client does not read"));
          end();
        });
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** Where a chunk ends; a character of two halves is in one chunk. */
function endOfChunk(text: string, from: number): number {
  const to = from + CHUNK;
  const isHalf = to < text.length && text.charCodeAt(to - 1) >> 10 === 0xd8_00 >> 10;
  return isHalf ? to + 1 : to;
}
