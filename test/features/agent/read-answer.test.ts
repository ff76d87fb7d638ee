import { describe, expect, test } from "vitest";

import { createWait, type Reading, readPieces, readText } from "../../../src/features/agent/read-answer.ts";
import * as LIMITS from "../../../src/features/agent/limits.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const signal = new AbortController().signal;

function reading(clock = new VirtualClock(0)): Reading & { readonly clock: VirtualClock } {
  return { wait: createWait(signal), clock };
}

/** A body as it comes over a network: bytes, of which each `next` gives some. */
function bytesOf(next: (give: (text: string) => void, end: () => void) => void | Promise<void>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    type: "bytes",
    pull: (controller) =>
      next(
        (text) => controller.enqueue(encoder.encode(text)),
        () => {
          controller.close();
          controller.byobRequest?.respond(0);
        },
      ),
  });
  return new Response(body);
}

/** So many pieces, each a number of five digits, and a pause before each. */
function numbers(count: number, pause: () => Promise<void> = () => Promise.resolve()): Response {
  let said = 0;
  return bytesOf(async (give, end) => {
    await pause();
    if (said === count) return end();
    give(String(said).padStart(5, "0"));
    said += 1;
  });
}

/** Read a body to its end; what came with each read, as text. */
async function readAll(response: Response, by: Reading): Promise<string[]> {
  const seen: string[] = [];
  const isWhole = await readPieces(response, by, (piece) => {
    seen.push(new TextDecoder().decode(piece));
    return Promise.resolve(true);
  });
  expect(isWhole).toBe(true);
  return seen;
}

const sequence = (count: number): string =>
  Array.from({ length: count }, (_, n) => String(n).padStart(5, "0")).join("");

describe("A body that comes over a network is read", () => {
  test("word by word, each when it was said", async () => {
    const by = reading();
    const words = await by.clock.runUntil(
      readAll(
        numbers(600, () => by.clock.sleep(20)),
        by,
      ),
    );
    expect(words).toHaveLength(600);
    expect(words.join("")).toBe(sequence(600));
  });

  trial("in a seventh of the reads where 100,000 tiny pieces come at once, and whole", async () => {
    const pieces = await readAll(numbers(100_000), reading());
    expect(pieces.length).toBeLessThan(15_000);
    expect(pieces.join("")).toBe(sequence(100_000));
  });

  test("without more than 16 pieces being held back where such a stream pauses", async () => {
    let given = 0;
    let seen = 0;
    const stop = new AbortController();
    const endless = bytesOf((give) => {
      if (given === 5_000) return new Promise(() => {});
      given += 1;
      return give("12345");
    });
    const by = { ...reading(), wait: createWait(stop.signal) };
    const read = readPieces(endless, by, (piece) => {
      seen += piece.length / 5;
      return Promise.resolve(true);
    });
    await by.clock.advance(10_000);
    expect(given).toBe(5_000);
    expect(given - seen).toBeLessThanOrEqual(16);
    stop.abort();
    expect(await read).toBe(false);
  });

  test("to its last byte, however few of those that were asked for it has left", async () => {
    for (const count of [255, 256, 257, 271, 272, 273])
      expect((await readAll(numbers(count), reading())).join("")).toBe(sequence(count));
  });

  trial("in at most so many reads", async () => {
    const by = reading();
    let clock = 0;
    const slow = { ...by, clock: { now: () => (clock += 1) } };
    const text = await readText(numbers(LIMITS.modelPieces + 10), slow, LIMITS.modelBytes);
    expect(text).toBeNull();
  });
});
