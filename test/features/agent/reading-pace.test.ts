import { describe, expect, test } from "vitest";

import { ReadingPace } from "../../../src/features/agent/read-answer.ts";

interface Rhythm {
  readonly pieces: number;
  readonly everyMs: number;
  readonly from?: number;
}

/** Read so many pieces of 10 bytes, one every `everyMs`; what is asked for at least behind each. */
function readAt(pace: ReadingPace, { pieces, everyMs, from = 0 }: Rhythm): number[] {
  return Array.from({ length: pieces }, (_, n) => {
    pace.saw(10, from + (n + 1) * everyMs);
    return pace.least;
  });
}

describe("A stream is asked for", () => {
  test.each([1, 5, 20, 500])("one byte at least, where a word comes every %i ms", (everyMs) => {
    const pace = new ReadingPace(0);
    expect(pace.least).toBe(1);
    expect(new Set(readAt(pace, { pieces: 2_000, everyMs }))).toEqual(new Set([1]));
  });

  test("as much as 16 pieces have, once 256 came faster than four in a millisecond", () => {
    const asked = readAt(new ReadingPace(0), { pieces: 256, everyMs: 0.2 });
    expect(asked.slice(0, 255)).toEqual(Array.from({ length: 255 }, () => 1));
    expect(asked[255]).toBe(160);
  });

  test("one byte again behind the first read that was slow", () => {
    const pace = new ReadingPace(0);
    readAt(pace, { pieces: 256, everyMs: 0 });
    expect(pace.least).toBe(160);
    pace.saw(160, 1);
    expect(pace.least).toBe(160);
    pace.saw(160, 3_000);
    expect(pace.least).toBe(1);
    expect(readAt(pace, { pieces: 300, everyMs: 20, from: 3_000 }).at(-1)).toBe(1);
  });

  test("what the last pieces had, not what the first did", () => {
    const pace = new ReadingPace(0);
    readAt(pace, { pieces: 256, everyMs: 0 });
    for (let n = 0; n < 256; n += 1) pace.saw(1_000, 0);
    expect(pace.least).toBe(1);
    readAt(pace, { pieces: 256, everyMs: 0 });
    expect(pace.least).toBe(160);
  });
});
