import fc from "fast-check";
import { expect, test } from "vitest";

import { Reachability } from "../../../src/core/plan/hazards.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

test("reaches() is false between all nodes of a graph without edges", () => {
  const order = new Reachability(3);
  for (const from of [0, 1, 2]) for (const to of [0, 1, 2]) expect(order.reaches(from, to)).toBe(false);
});

test("reaches() follows edges in their direction, however many", () => {
  const order = new Reachability(4);
  order.add(0, 1);
  order.add(1, 2);
  expect(order.reaches(0, 2)).toBe(true);
  expect(order.reaches(2, 0)).toBe(false);
  expect(order.reaches(0, 3)).toBe(false);
});

test("add() joins the paths on both of its sides", () => {
  const order = new Reachability(4);
  order.add(0, 1);
  order.add(2, 3);
  order.add(1, 2);
  expect(order.reaches(0, 3)).toBe(true);
});

test("add() takes the same edge twice", () => {
  const order = new Reachability(2);
  order.add(0, 1);
  order.add(0, 1);
  expect(order.reaches(0, 1)).toBe(true);
  expect(order.reaches(1, 0)).toBe(false);
});

test.each([31, 32, 33, 64, 65])("reaches() tells the last of %i nodes from the others", (size) => {
  const order = new Reachability(size);
  order.add(0, size - 1);
  expect(order.reaches(0, size - 1)).toBe(true);
  expect(Array.from({ length: size - 1 }, (_, node) => order.reaches(0, node))).not.toContain(true);
});

trial("reaches() says the same as a search through the edges", () => {
  const graphs = fc
    .integer({ min: 1, max: 40 })
    .chain((size) =>
      fc.tuple(fc.constant(size), fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 60 })),
    );
  fc.assert(
    fc.property(graphs, ([size, pairs]) => {
      // Forwards only, so that the graph is acyclic as it always is here.
      const edges = pairs.flatMap(([a, b]) => (a === b ? [] : [[Math.min(a, b), Math.max(a, b)] as const]));
      const order = new Reachability(size);
      for (const [from, to] of edges) order.add(from, to);
      for (let from = 0; from < size; from += 1) {
        const found = new Set<number>();
        const open = [from];
        for (let at = open.pop(); at !== undefined; at = open.pop())
          for (const [start, end] of edges)
            if (start === at && !found.has(end)) {
              found.add(end);
              open.push(end);
            }
        for (let to = 0; to < size; to += 1) expect(order.reaches(from, to)).toBe(found.has(to));
      }
    }),
    { numRuns: samples(50) },
  );
});
