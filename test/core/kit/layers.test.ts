import fc from "fast-check";
import { expect, test } from "vitest";

import { findCycle, type Needs } from "../../../src/core/kit/layers.ts";

test.each<[string, Needs]>([
  ["no node", []],
  ["nodes that need nothing", [[], [], []]],
  ["a chain", [[], [0], [1]]],
  ["a diamond", [[], [0], [0], [1, 2]]],
  ["the same need twice", [[], [0, 0]]],
])("findCycle() finds none in %s", (_, needs) => {
  expect(findCycle(needs)).toBeNull();
});

test.each<[string, Needs, number[]]>([
  ["a node that needs itself", [[0]], [0, 0]],
  ["two that need each other", [[1], [0]], [0, 1, 0]],
  ["three in a circle", [[1], [2], [0]], [0, 1, 2, 0]],
  ["a circle behind a tail, without the tail", [[1], [2], [1]], [1, 2, 1]],
  ["a circle after a part that is fine", [[], [0], [3], [2]], [2, 3, 2]],
])("findCycle() spells out %s", (_, needs, cycle) => {
  expect(findCycle(needs)).toEqual(cycle);
});

test("findCycle() follows a chain of 100,000 without overflowing the stack", () => {
  const needs = Array.from({ length: 100_000 }, (_, index) => (index === 99_999 ? [0] : [index + 1]));
  expect(findCycle(needs)).toHaveLength(100_001);
});

test("findCycle() looks at a node once, however many ways lead to it", () => {
  // Every node needs the next two: as many ways to the last as a Fibonacci number of 2,000 digits.
  const needs = Array.from({ length: 10_000 }, (_, index) =>
    [index + 1, index + 2].filter((needed) => needed < 10_000),
  );
  expect(findCycle(needs)).toBeNull();
});

/** Every graph of up to seven nodes. */
const graphs = fc
  .integer({ min: 1, max: 7 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { maxLength: 2 }), { minLength: size, maxLength: size }),
  );

test("findCycle() finds a cycle exactly when some node can reach itself", () => {
  fc.assert(
    fc.property(graphs, (needs) => {
      expect(findCycle(needs) !== null).toBe(someNodeReachesItself(needs));
    }),
    { numRuns: 500 },
  );
});

test("findCycle() gives a way along existing needs from a node back to itself, no node twice", () => {
  fc.assert(
    fc.property(graphs, (needs) => {
      const cycle = findCycle(needs);
      fc.pre(cycle !== null);
      expect(cycle.at(-1)).toBe(cycle[0]);
      expect(new Set(cycle).size).toBe(cycle.length - 1);
      for (const [at, node] of cycle.slice(0, -1).entries()) expect(needs[node]).toContain(cycle[at + 1]);
    }),
  );
});

/** The transitive closure, written as plainly as possible. */
function someNodeReachesItself(needs: Needs): boolean {
  const reach = needs.map((needed) => new Set(needed));
  for (let round = 0; round < needs.length; round += 1) {
    for (const reached of reach) {
      for (const node of Array.from(reached)) for (const next of reach[node]!) reached.add(next);
    }
  }
  return reach.some((reached, node) => reached.has(node));
}
