import fc from "fast-check";
import { expect, test } from "vitest";

import { findIslands } from "../../src/approve/islands.ts";

test("findIslands() keeps apart what has nothing to do with each other", () => {
  expect(findIslands([0, 1, 3], [[], [], [], [0]])).toEqual([[0, 3], [1]]);
});

test("findIslands() makes one of two that share a dependent, and of three in a row", () => {
  expect(findIslands([0, 1, 2], [[], [], [0, 1]])).toEqual([[0, 1, 2]]);
  expect(findIslands([0, 1, 2, 3, 4], [[], [], [0, 1], [], [1, 3]])).toEqual([[0, 1, 2, 3, 4]]);
});

test("findIslands() does not look past what is not parked", () => {
  expect(findIslands([1, 2], [[], [0], [0]])).toEqual([[1], [2]]);
});

test("findIslands() in 2,000 random graphs holds every parked step once, and nothing needs across islands", () => {
  const graphs = fc.array(fc.record({ parked: fc.boolean(), needs: fc.array(fc.nat(), { maxLength: 2 }) }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(graphs, (picks) => {
      const needs = picks.map((pick, at) => (at === 0 ? [] : pick.needs.map((need) => need % at)));
      const parked = picks.flatMap((pick, at) => (pick.parked ? [at] : []));
      const islands = findIslands(parked, needs);
      expect(islands.flat().sort((a, b) => a - b)).toEqual(parked);
      const islandOf = new Map(islands.flatMap((island, at) => island.map((index) => [index, at] as const)));
      for (const index of parked)
        for (const needed of needs[index]!)
          if (islandOf.has(needed)) expect(islandOf.get(needed)).toBe(islandOf.get(index));
      // And no island is two: from its first step all others are reached.
      for (const island of islands) {
        const reached = new Set([island[0]!]);
        for (let grown = true; grown;) {
          grown = false;
          for (const index of island) {
            const near = island.filter(
              (other) => needs[index]!.includes(other) || needs[other]!.includes(index),
            );
            if (!reached.has(index) && near.some((other) => reached.has(other))) {
              reached.add(index);
              grown = true;
            }
          }
        }
        expect(reached.size).toBe(island.length);
      }
    }),
    { numRuns: 2_000 },
  );
});
