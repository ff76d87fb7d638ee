import { afterEach, beforeEach, expect, test } from "vitest";

import {
  $joined,
  $kept,
  $many,
  $match,
  $put,
  $Slow,
  $step,
  $text,
  $whole,
  countFor,
  SPENT_WORK,
  Work,
} from "../../src/packs/count-work.ts";

let work = new Work(100_000);

beforeEach(() => {
  work = new Work(100_000);
  countFor(work);
});

afterEach(() => countFor(new Work(Number.POSITIVE_INFINITY)));

const spentBy = (use: () => unknown): number => {
  use();
  return 100_000 - work.left;
};

test("a long text that is compared costs a step for 16 characters, anything else nothing", () => {
  expect(spentBy(() => $text("x".repeat(16_000)))).toBe(1_000);
  expect(spentBy(() => [$text("x"), $text([1, 2]), $text(7), $text(null)])).toBe(1_000);
});

test("joined texts cost a step for 64 characters, as they may be copied", () => {
  expect(spentBy(() => $joined("x".repeat(64_000)))).toBe(1_000);
  expect(spentBy(() => [$joined("x".repeat(4_096)), $joined(1e9)])).toBe(1_000);
});

test("a long text that is kept costs a step for each character, once for a key", () => {
  const long = "x".repeat(1_000);
  expect(spentBy(() => [$kept(long), $kept("x".repeat(256)), $kept([1]), $kept(1e9)])).toBe(1_000);
  expect(spentBy(() => $put(long, {}, "a"))).toBe(2_000);
  expect(spentBy(() => [$put(long, { a: "" }, "a"), $put(long, [1], 0)])).toBe(2_000);
  expect(spentBy(() => $put(long, new Map([["a", ""]]), "a"))).toBe(2_000);
  expect(spentBy(() => $put(long, new Map(), "a"))).toBe(3_000);
  expect(spentBy(() => $put(1, {}, long))).toBe(4_000);
  expect(spentBy(() => $put(long, new Set(), long))).toBe(5_000);
  expect(spentBy(() => $put(long, new Set([long]), long))).toBe(5_000);
});

test("a pattern that goes on where it was costs what it matches, or all that follows", () => {
  const text = "x".repeat(1_600) + " ".repeat(1_600);
  const word = /\w+/y;
  expect(spentBy(() => $match(word, "exec")(text))).toBe(100);
  expect(spentBy(() => $match(word, "test")(text))).toBe(200);
  expect(spentBy(() => $match(/ /, "test")(text))).toBe(400);
});

test("work that is spent ends the run, which has some steps for that and no more", () => {
  const { signal } = work;
  expect(() => $whole("x".repeat(16 * 100_001))).toThrow(SPENT_WORK);
  expect([signal.aborted, work.isSpent, work.left]).toEqual([true, true, 100_000]);
  for (let step = 0; step < 100_000; step += 1) $step();
  expect(() => $whole("x".repeat(16))).toThrow(SPENT_WORK);
  expect(() => $step()).toThrow(SPENT_WORK);
  expect(() => $step()).toThrow(SPENT_WORK);
});

test("a number of elements to be made costs before there are any", () => {
  expect(spentBy(() => $many(1_600))).toBe(100);
  expect(() => $many(1e9)).toThrow(SPENT_WORK);
  expect(work.isSpent).toBe(true);
});

test("a list costs its elements", () => {
  expect(spentBy(() => $whole(Array.from({ length: 500 })))).toBe(500);
});

test("a slow pattern costs each place from which it may look at all that follows, before it looks", () => {
  expect(spentBy(() => new $Slow("\\[.*\\]", "", "[").test("[".repeat(10) + "x".repeat(390)))).toBe(100);
  expect(spentBy(() => new $Slow("\\d+x", "").test("1".repeat(400)))).toBe(100 + 4_000);
  expect(() => new $Slow("\\d+x", "").test("1".repeat(1_000_000))).toThrow(SPENT_WORK);
});

test("a slow pattern finds, replaces and splits as any other", () => {
  const slow = new $Slow("(\\d+)x", "g");
  expect("1x 22x".replace(slow, "<$1>")).toBe("<1> <22>");
  expect("a1xb2xc".split(slow)).toEqual(["a", "1", "b", "2", "c"]);
  expect([..."1x 2x".matchAll(slow)].map(({ index }) => index)).toEqual([0, 3]);
});
