import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffMs } from "../../../src/core/kit/backoff.ts";

describe("backoffMs()", () => {
  test("doubles its ceiling up to the maximum", () => {
    const ceilings = [1, 2, 3, 4, 5, 60].map((attempt) =>
      backoffMs({ attempt, initialMs: 1_000, maxMs: 10_000, random: 1 - Number.EPSILON }),
    );
    expect(ceilings).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("F22 spreads over the whole range", () => {
    const at = (random: number): number => backoffMs({ attempt: 3, initialMs: 1_000, maxMs: 60_000, random });
    expect([at(0), at(0.5), at(0.999)]).toEqual([100, 2_050, 3_997]);
  });

  test("is a whole number, at least 1 and at most the ceiling, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.double({ min: 0, max: 1e7, noNaN: true }),
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, initialMs, maxMs, random) => {
          const delay = backoffMs({ attempt, initialMs, maxMs, random });
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(1);
          expect(delay).toBeLessThanOrEqual(maxMs);
        },
      ),
    );
  });
});
