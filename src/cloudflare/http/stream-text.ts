import * as LIMITS from "../../core/contract/limits.ts";
import type { Clock } from "../../core/kit/clock.ts";

/** Characters of one chunk. */
const CHUNK = 64 * 1024;

/**
 * Make a stream of a text, which is encoded only as its reader asks for it, or of bytes, which many may read. The stream breaks off where the reader asks for nothing for
 * `LIMITS.answerIdleMs`, so that no client keeps an answer for good.
 *
 * @param onEnd called once: the text was read, or its reader is gone
 */
export function streamText(
  text: string | Uint8Array,
  { clock, onEnd }: { readonly clock: Clock; readonly onEnd: () => void },
): ReadableStream<Uint8Array> {
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
          return end();
        }
        const to = endOfChunk(text, at);
        // A copy of bytes: a reader may do with its own what it likes.
        const chunk = text.slice(at, to);
        controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
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
function endOfChunk(text: string | Uint8Array, from: number): number {
  const to = from + CHUNK;
  const isHalf =
    typeof text === "string" && to < text.length && text.charCodeAt(to - 1) >> 10 === 0xd8_00 >> 10;
  return isHalf ? to + 1 : to;
}
