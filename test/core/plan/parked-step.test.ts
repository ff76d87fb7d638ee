import fc from "fast-check";
import { expect, test } from "vitest";

import { findParking } from "../../../src/core/plan/parked-step.ts";
import { trial } from "../../support/trial.ts";

test("findParking() parks what is gated, and whatever needs it, however far away", () => {
  expect(findParking([false, true, false, false, false], [[], [0], [1], [2], [0]])).toEqual([
    null,
    "gated",
    "waits",
    "waits",
    null,
  ]);
});

test("findParking() calls gated what is gated itself, although it needs another", () => {
  expect(findParking([true, true], [[], [0]])).toEqual(["gated", "gated"]);
});

test("findParking() looks at needs in any order of the batch", () => {
  expect(findParking([false, false, true], [[1], [2], []])).toEqual(["waits", "waits", "gated"]);
});

trial("findParking() in 2,000 random graphs parks exactly the gated and their descendants", () => {
  const graphs = fc.array(fc.record({ gated: fc.boolean(), needs: fc.array(fc.nat(), { maxLength: 3 }) }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(graphs, (picks) => {
      const needs = picks.map((pick, at) => (at === 0 ? [] : pick.needs.map((need) => need % at)));
      const gated = picks.map((pick) => pick.gated);
      const reached = new Set(gated.flatMap((own, at) => (own ? [at] : [])));
      for (const [at, needed] of needs.entries())
        if (needed.some((need) => reached.has(need))) reached.add(at);
      const parking = findParking(gated, needs);
      expect(parking.flatMap((own, at) => (own === null ? [] : [at]))).toEqual(
        [...reached].sort((a, b) => a - b),
      );
      for (const [at, own] of parking.entries()) expect(own === "gated").toBe(gated[at]);
    }),
    { numRuns: 2_000 },
  );
});
