import { expect, test } from "vitest";
import type { Sample } from "../sample.ts";
import { judgeRest, judgeRows, judgeMemory, slopeOf } from "./judge-growth.ts";
import type { Verdict } from "./verdict.ts";

const OPTIONS = { warmUpMs: 60_000, settledMs: 90_000, cycleMs: 112_000 };
/** Ten minutes, looked at every five seconds. */
const samplesOf = (make: (min: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 121 }, (_, i) => ({
    ms: i * 5_000,
    life: 0,
    rssMb: 200,
    heapMb: i % 6 === 0 ? 12 : null,
    sockets: 20,
    cpuS: 0,
    rows: {},
    storedMb: 3,
    alarms: 2,
    ...make(i / 12),
  }));
const wrong = (verdicts: readonly Verdict[]): string[] =>
  verdicts.filter(({ isFine }) => !isFine).map(({ what }) => what);
/** A busy heap: it grows, and is collected. */
const saw = (min: number): number => 200 + 40 * (min % 1);

test("judgeMemory() lets a heap be that grows and is collected, and warms up", () => {
  const warmingUp = (min: number): number => saw(min) - 100 * Math.exp(-min * 2);
  expect(
    wrong(
      judgeMemory(
        samplesOf((min) => ({ rssMb: warmingUp(min) })),
        OPTIONS,
      ),
    ),
  ).toEqual([]);
});

test("judgeMemory() names a leak of five megabytes a minute under it", () => {
  const leaking = samplesOf((min) => ({ rssMb: saw(min) + 5 * min }));
  expect(wrong(judgeMemory(leaking, OPTIONS))).toEqual(["memory, slope of life 1"]);
});

test("judgeMemory() names a leak of a megabyte a minute by the heap, where the process does not show it", () => {
  const leaking = samplesOf((min) => ({
    rssMb: saw(min),
    heapMb: Number.isInteger(min * 2) ? 12 + min : null,
  }));
  expect(wrong(judgeMemory(leaking, OPTIONS))).toEqual(["heap, slope of life 1"]);
});

test("judgeMemory() names a life that takes too much at once, and judges each by itself", () => {
  // Memory that a kill takes away is no fall, and memory that comes back is no rise.
  const lives = samplesOf((min) => ({ life: min < 5 ? 0 : 1, rssMb: min < 5 ? 300 : 150 }));
  expect(wrong(judgeMemory(lives, OPTIONS))).toEqual([]);
  const greedy = lives.map((sample) => (sample.life === 0 ? sample : { ...sample, rssMb: 600 }));
  expect(wrong(judgeMemory(greedy, OPTIONS))).toEqual(["memory, life 2"]);
});

test("judgeMemory() says nothing of the slope of a life that is too short for one", () => {
  const short = samplesOf((min) => ({ rssMb: 100 + 50 * min })).slice(0, 18);
  expect(judgeMemory(short, OPTIONS).map(({ what }) => what)).toEqual(["memory, life 1"]);
});

test("judgeRows() lets rows be that are forgotten, and names a table of which none is", () => {
  const samples = samplesOf((min) => ({
    rows: { jobs: Math.min(60 * min, 90), idempotency: 60 * min, quota: 20 * min },
  }));
  expect(wrong(judgeRows(samples, OPTIONS))).toEqual(["rows of idempotency"]);
});

test("judgeRows() names marks of limits when they are more than are swept", () => {
  const samples = samplesOf((min) => ({ rows: { quota: 200 * min } }));
  expect(wrong(judgeRows(samples, OPTIONS))).toEqual(["rows of quota"]);
});

test("judgeRows() says nothing of a run whose thirds are not like each other", () => {
  const samples = samplesOf((min) => ({ rows: { jobs: 60 * min } }));
  expect(judgeRows(samples.slice(0, 60), OPTIONS)).toEqual([]);
});

test.each([
  ["open sockets", (min: number) => ({ sockets: 20 + 40 * min })],
  ["MB on disk", (min: number) => ({ storedMb: 3 + min })],
  ["alarms set", (min: number) => ({ alarms: 2 + 4 * min })],
])("judgeRest() names %s that become more and more", (what, make) => {
  expect(
    wrong(
      judgeRest(
        samplesOf(() => ({})),
        OPTIONS,
      ),
    ),
  ).toEqual([]);
  expect(wrong(judgeRest(samplesOf(make), OPTIONS))).toEqual([what]);
});

test("judgeMemory() holds a missing look at the heap against a run", () => {
  expect(
    wrong(
      judgeMemory(
        samplesOf(() => ({ heapMb: null })),
        OPTIONS,
      ),
    ),
  ).toEqual(["heap, slope of life 1"]);
});

test("slopeOf() is that of most points, whatever a few of them are", () => {
  const line = [0, 1, 2, 3, 4, 5].map((x) => [x, 5 + 2 * x] as const);
  expect(slopeOf(line)).toBeCloseTo(2);
  expect(slopeOf(line.with(3, [3, 900]))).toBeCloseTo(2, 0);
  expect(slopeOf([[1, 5]])).toBeNaN();
});
