import fc from "fast-check";
import { expect, test } from "vitest";

import { findCycle, type Needs } from "../../../src/core/kit/layers.ts";
import { type Effect, findHazards } from "../../../src/core/plan/hazards.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

const read = (domain = "calendar"): Effect => ({ domain, isWrite: false });
const write = (domain = "calendar"): Effect => ({ domain, isWrite: true });
const NO_NEEDS: Needs = [];

const hazardsOf = (effects: readonly (Effect | null)[], needs: Needs = NO_NEEDS): number[][] =>
  findHazards(
    effects,
    effects.map((_, index) => needs[index] ?? []),
  );

test.each<[string, (Effect | null)[], number[][]]>([
  ["reads of one domain run together", [read(), read(), read()], [[], [], []]],
  ["a write waits for every earlier read of its domain", [read(), read(), write()], [[], [], [0, 1]]],
  ["reads wait for an earlier write of their domain", [write(), read(), read()], [[], [0], [0]]],
  ["writes of one domain keep their order", [write(), write(), write()], [[], [0], [0, 1]]],
  [
    "a read between two writes waits for one and holds up the other",
    [write(), read(), write()],
    [[], [0], [0, 1]],
  ],
  ["domains never wait for each other", [write("a"), write("b"), read("a"), read("b")], [[], [], [0], [1]]],
  ["what takes no part neither waits nor is waited for", [write(), null, write(), null], [[], [], [0], []]],
  ["nothing is nothing", [], []],
])("findHazards(): %s", (_, effects, hazards) => {
  expect(hazardsOf(effects)).toEqual(hazards);
});

test("findHazards() orders the neighbours of a write directly, because it may be skipped", () => {
  expect(hazardsOf([write(), write(), write()])[2]).toContain(0);
});

test("findHazards() lays no hazard beside a dependency that says the same", () => {
  expect(hazardsOf([write(), write()], [[], [0]])).toEqual([[], []]);
});

test("findHazards() lets a reference that runs the other way win", () => {
  expect(hazardsOf([write(), write()], [[1], []])).toEqual([[], []]);
});

test("findHazards() turns a hazard round where dependencies run the other way at a distance", () => {
  // 0 needs 2 by way of 1, which is of another domain: 0 and 2 conflict, so 0 comes after 2.
  const hazards = hazardsOf([write(), read("other"), write()], [[1], [2], []]);
  expect(hazards).toEqual([[2], [], []]);
});

test("findHazards() orders two steps directly when only another hazard is between them", () => {
  // 0 needs 2; 1 comes after 0, so after 2. When 0 is skipped early, 1 and 2 must still not meet.
  const hazards = hazardsOf([write(), write(), write()], [[2], [], []]);
  expect(hazards[1]).toEqual(expect.arrayContaining([0, 2]));
  expect(hazards[2]).toEqual([]);
});

/** Random steps with acyclic needs in any direction: every step needs only ones that a random order puts before it. */
const cases = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.record({
    effects: fc.array(
      fc.option(fc.record({ domain: fc.constantFrom("a", "b"), isWrite: fc.boolean() }), { freq: 5 }),
      { minLength: size, maxLength: size },
    ),
    order: fc.shuffledSubarray(
      Array.from({ length: size }, (_, index) => index),
      { minLength: size },
    ),
    picks: fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: size, maxLength: size }),
  }),
);

/** Turn picks into needs: each step's picks among those before it in the order. */
function toNeeds(order: readonly number[], picks: readonly (readonly number[])[]): number[][] {
  const needs: number[][] = order.map(() => []);
  for (const [at, index] of order.entries())
    if (at > 0) needs[index] = [...new Set(picks[index]!.map((pick) => order[pick % at]!))];
  return needs;
}

trial(
  "findHazards() keeps the graph acyclic and orders every conflicting pair directly, one way or by dependencies",
  () => {
    fc.assert(
      fc.property(cases, ({ effects, order, picks }) => {
        const needs = toNeeds(order, picks);
        const hazards = findHazards(effects, needs);
        const all = needs.map((needed, index) => [...needed, ...hazards[index]!]);
        expect(findCycle(all)).toBeNull();
        for (const [a, first] of effects.entries()) {
          for (const [b, second] of effects.entries()) {
            const related = all[b]!.includes(a) || all[a]!.includes(b);
            if (a >= b || first === null || second === null || first.domain !== second.domain) continue;
            if (first.isWrite || second.isWrite) expect(related).toBe(true);
            else expect(hazards[a]!.includes(b) || hazards[b]!.includes(a)).toBe(false);
          }
        }
        for (const [index, waits] of hazards.entries()) {
          expect(new Set(waits).size).toBe(waits.length);
          for (const at of waits) expect(effects[at]?.domain).toBe(effects[index]?.domain);
        }
      }),
      { numRuns: samples(3_000) },
    );
  },
);

test("findHazards() follows the order asked unless dependencies say otherwise", () => {
  fc.assert(
    fc.property(cases, ({ effects, order, picks }) => {
      const forwards = toNeeds(
        order.map((_, index) => index),
        picks,
      );
      for (const [index, waits] of findHazards(effects, forwards).entries())
        for (const at of waits) expect(at).toBeLessThan(index);
      // With dependencies all over, what waits for a later step is bound to it by dependencies.
      const needs = toNeeds(order, picks);
      const withoutEffects = findHazards(
        effects.map(() => null),
        needs,
      );
      expect(withoutEffects.flat()).toEqual([]);
    }),
    { numRuns: samples(500) },
  );
});
