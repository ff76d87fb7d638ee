import fc from "fast-check";
import { expect, test } from "vitest";

import type { Needs } from "../../../src/core/kit/layers.ts";
import { remainingPaths } from "../../../src/core/plan/remaining-paths.ts";

test.each<[string, Needs, number[]]>([
  ["nothing", [], []],
  ["steps that wait for nothing", [[], [], []], [1, 1, 1]],
  ["a chain", [[], [0], [1]], [3, 2, 1]],
  ["a chain asked for backwards", [[1], [2], []], [1, 2, 3]],
  ["a diamond", [[], [0], [0], [1, 2]], [3, 2, 2, 1]],
  ["a short and a long way to the same end", [[], [0], [1], [0, 2]], [4, 3, 2, 1]],
  ["the same edge twice", [[], [0, 0]], [2, 1]],
])("remainingPaths() counts the longest path that starts with each step of %s", (_, before, remaining) => {
  expect(remainingPaths(before)).toEqual(remaining);
});

test("remainingPaths() takes a chain of 10,000 in its stride", () => {
  const before = Array.from({ length: 10_000 }, (_, index) => (index === 0 ? [] : [index - 1]));
  expect(remainingPaths(before)[0]).toBe(10_000);
});

test("remainingPaths() gives one more than the best of those that wait for a step", () => {
  const graphs = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(graphs, (picks) => {
      const before = picks.map((found, index) => (index === 0 ? [] : found.map((pick) => pick % index)));
      const remaining = remainingPaths(before);
      for (const index of before.keys()) {
        const behind = before.flatMap((earlier, other) =>
          earlier.includes(index) ? [remaining[other]!] : [],
        );
        expect(remaining[index]).toBe(1 + Math.max(0, ...behind));
      }
    }),
  );
});
