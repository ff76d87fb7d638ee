import fc from "fast-check";
import { expect, test } from "vitest";

import { findGroups } from "../../../src/features/confirmations/parked-group.ts";
import { trial } from "../../support/trial.ts";

test("findGroups() keeps apart what has nothing to do with each other", () => {
  expect(findGroups([0, 1, 3], [[], [], [], [0]])).toEqual([[0, 3], [1]]);
});

test("findGroups() makes one of two that share a dependent, and of three in a row", () => {
  expect(findGroups([0, 1, 2], [[], [], [0, 1]])).toEqual([[0, 1, 2]]);
  expect(findGroups([0, 1, 2, 3, 4], [[], [], [0, 1], [], [1, 3]])).toEqual([[0, 1, 2, 3, 4]]);
});

test("findGroups() has the order of the batch, in whichever order its steps came to ask", () => {
  expect(findGroups([4, 3, 1, 2], [[], [], [], [], [2]])).toEqual([[1], [2, 4], [3]]);
});

test("findGroups() does not look past what is not parked", () => {
  expect(findGroups([1, 2], [[], [0], [0]])).toEqual([[1], [2]]);
});

trial(
  "findGroups() in 2,000 random graphs holds every parked step once, and nothing needs across groups",
  () => {
    const graphs = fc.array(
      fc.record({ parked: fc.boolean(), needs: fc.array(fc.nat(), { maxLength: 2 }) }),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(graphs, (picks) => {
        const needs = picks.map((pick, at) => (at === 0 ? [] : pick.needs.map((need) => need % at)));
        const parked = picks.flatMap((pick, at) => (pick.parked ? [at] : []));
        const groups = findGroups(parked, needs);
        expect(groups.flat().sort((a, b) => a - b)).toEqual(parked);
        const groupOf = new Map(groups.flatMap((group, at) => group.map((index) => [index, at] as const)));
        for (const index of parked)
          for (const needed of needs[index]!)
            if (groupOf.has(needed)) expect(groupOf.get(needed)).toBe(groupOf.get(index));
        // And no group is two: from its first step all others are reached.
        for (const group of groups) {
          const reached = new Set([group[0]!]);
          for (let grown = true; grown;) {
            grown = false;
            for (const index of group) {
              const near = group.filter(
                (other) => needs[index]!.includes(other) || needs[other]!.includes(index),
              );
              if (!reached.has(index) && near.some((other) => reached.has(other))) {
                reached.add(index);
                grown = true;
              }
            }
          }
          expect(reached.size).toBe(group.length);
        }
      }),
      { numRuns: 2_000 },
    );
  },
);
