import fc from "fast-check";
import { expect, test } from "vitest";

import { countEnd, type Day, sumDay } from "../../../src/features/endpoints/count-day.ts";

const HOUR = 3_600_000;

test("A day's ends are those of the last 24 hours, and what is kept of it does not grow", () => {
  const day: Day = {};
  for (let hour = 0; hour < 72; hour += 1)
    for (let n = 0; n < 500; n += 1)
      countEnd(day, hour * HOUR + n, { tookMs: n * 30, as: n % 10 === 0 ? "failed" : "delivered" });
  expect(sumDay(day, 71 * HOUR + HOUR / 2, 3)).toEqual({
    delivered: 24 * 450,
    failed: 24 * 50,
    missed: 24 * 50,
    pending: 3,
    p95Ms: 14_000,
  });
  expect(Object.keys(day)).toHaveLength(24);
  expect(JSON.stringify(day).length).toBeLessThan(24 * 2_500);
  expect(sumDay(day, 96 * HOUR, 0)).toEqual({ delivered: 0, failed: 0, missed: 0, pending: 0, p95Ms: null });
});

test("The time in which 95 of 100 answers came is told a tenth amiss at most", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 }), (times) => {
      const day: Day = {};
      for (const tookMs of times) countEnd(day, 0, { tookMs });
      const exact = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!;
      const { p95Ms, delivered, failed, missed } = sumDay(day, 0, 0);
      expect([delivered, failed, missed]).toEqual([0, 0, times.length]);
      expect(Math.abs(p95Ms! - exact)).toBeLessThanOrEqual(exact / 10);
    }),
    { numRuns: 200 },
  );
});
