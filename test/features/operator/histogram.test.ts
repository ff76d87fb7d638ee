import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { addTime, addTimes, type Histogram, quantileOf } from "../../../src/features/operator/histogram.ts";
import { samples } from "../../support/samples.ts";

const histogramOf = (times: readonly number[]): Histogram => {
  const histogram: Histogram = [];
  for (const ms of times) addTime(histogram, ms);
  return histogram;
};
const times = fc.array(fc.integer({ min: 0, max: 3_600_000 }), { minLength: 1, maxLength: 200 });

describe("A histogram", () => {
  test("gives a quantile to within 10 %, and within a millisecond", () => {
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95, 1), (all, share) => {
        const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1]!;
        const told = quantileOf(histogramOf(all), share)!;
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.1));
      }),
      { numRuns: samples(500) },
    );
  });

  test("that is the sum of others is that of all their times", () => {
    fc.assert(
      fc.property(fc.array(times, { maxLength: 5 }), (parts) => {
        const sum: Histogram = [];
        for (const part of parts) addTimes(sum, histogramOf(part));
        expect(sum).toEqual(histogramOf(parts.flat()));
      }),
      { numRuns: samples(200) },
    );
  });

  test("has as many buckets at most as there are from nothing to an hour, whatever the times are", () => {
    const all = Array.from({ length: 20_000 }, (_, at) => at * at);
    expect(histogramOf([...all, Number.MAX_VALUE, -1, Number.NaN]).length).toBeLessThanOrEqual(2 * 91);
  });

  test("of nothing has no quantile", () => {
    expect(quantileOf([], 0.5)).toBeNull();
  });
});
