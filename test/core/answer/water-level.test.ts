import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partOf, waterLevel } from "../../../src/core/answer/cut-value.ts";

const share = (whole: number, min = 0) => ({ min, whole });

describe("waterLevel()", () => {
  test.each([
    ["everyone gets the same", [share(100), share(100)], 60, 30],
    ["who needs less leaves the rest", [share(10), share(100), share(100)], 110, 50],
    ["everything fits", [share(10), share(20)], 99, 20],
    ["whole numbers only", [share(100), share(100), share(100)], 50, 16],
    ["a minimum above the level", [share(100, 40), share(100)], 60, 20],
    ["not even the minima fit", [share(10, 5), share(10, 5)], 9, 0],
    ["no result is there", [], 5, 0],
  ])("when %s", (_, shares, total, level) => {
    expect(waterLevel(shares, total)).toBe(level);
  });

  test("is the highest that fits", () => {
    const shares = fc.array(
      fc.tuple(fc.nat(50), fc.nat(1_000)).map(([min, more]) => ({ min, whole: min + more })),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(shares, fc.nat(5_000), (shares, total) => {
        const level = waterLevel(shares, total);
        const sum = (at: number): number => shares.reduce((sum, share) => sum + partOf(share, at), 0);
        if (sum(0) <= total) expect(sum(level)).toBeLessThanOrEqual(total);
        if (level < Math.max(0, ...shares.map(({ whole }) => whole)))
          expect(sum(level + 1)).toBeGreaterThan(total);
      }),
    );
  });
});
