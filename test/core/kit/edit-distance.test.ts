import fc from "fast-check";
import { expect, test } from "vitest";

import { editDistance } from "../../../src/core/kit/nearest.ts";

test.each([
  ["", "", 0],
  ["abc", "abc", 0],
  ["abc", "", 3],
  ["abc", "abd", 1],
  ["abc", "acb", 1],
  ["calender", "calendar", 1],
  ["kitten", "sitting", 3],
])("editDistance('%s', '%s') is %i", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test("editDistance() is exact up to the most that matters, and more than that beyond", () => {
  const word = fc.stringMatching(/^[abc]{0,12}$/);
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 14 }), (a, b, most) => {
      expect(editDistance(a, b, most)).toBe(Math.min(distanceByTable(a, b), most + 1));
    }),
  );
});

/** All of the table, as the definition says. */
function distanceByTable(a: string, b: string): number {
  const at: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= b.length; j += 1) at[0]![j] = j;
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1) {
      const struck = at[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      at[i]![j] = Math.min(at[i - 1]![j]! + 1, at[i]![j - 1]! + 1, struck, swapped);
    }
  return at[a.length]![b.length]!;
}
