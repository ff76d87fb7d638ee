import * as z from "zod";
import fc from "fast-check";
import { expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import { describePlan, type PlanDescription } from "../../../src/core/plan/describe-plan.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import { contractOf, planOf, type StepSketch } from "../../support/fake-actions.ts";
import { valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const CATALOG = createCatalog([
  contractOf("search", { typicalTokens: 300 }),
  contractOf("item", {
    input: z.looseObject({ id: z.string() }),
    orchestration: { mode: "dependent", depends_on: [{ tool: "search", required_fields: ["id"] }] },
  }),
  contractOf("serial", { orchestration: { mode: "sequential-only" } }),
  contractOf("three", { orchestration: { mode: "fan-out-bounded", max_concurrency: 3 } }),
  contractOf("book", { isWrite: true, actions: ["create"], domain: "calendar" }),
  contractOf("agenda", { domain: "calendar" }),
  contractOf("cancel", { isWrite: true, actions: ["delete"], domain: "calendar" }),
]);

function describe(actions: object[], batch: object = {}): PlanDescription {
  const parsed = valueOf(parseBatch({ actions, ...batch }, 0));
  return describePlan(valueOf(makePlan(parsed, CATALOG)));
}

test("a plan says its waves, its edges with their reasons, its caps, what needs a yes and what it is worth", () => {
  const actions = [
    { id: "find", tool: "search" },
    { id: "first", tool: "item" },
    { id: "same", tool: "three", args: { q: { $ref: "find#/q" } } },
    { id: "book", tool: "book", depends_on: ["first"] },
    { id: "look", tool: "agenda" },
    { id: "cancel", tool: "cancel" },
    { id: "wrong", tool: "nope" },
  ];
  expect(describe(actions)).toEqual({
    dry_run: true,
    plan: {
      waves: [["find", "cancel"], ["first", "same"], ["book"], ["look"]],
      edges: [
        { from: "find", to: "first", reason: "contract" },
        { from: "find", to: "same", reason: "reference" },
        { from: "first", to: "book", reason: "depends_on" },
        { from: "book", to: "look", reason: "hazard: calendar" },
      ],
      caps: { three: 3 },
      confirmations: ["cancel"],
      estimated_tokens: 300 + 5 * 200,
      estimated_speedup: 1.5,
    },
    errors: [
      {
        index: 6,
        id: "wrong",
        tool: "nope",
        error: expect.objectContaining({ code: "UNKNOWN_TOOL", message: "There is no tool of that name." }),
      },
    ],
  });
});

test("independent actions are one wave, worth as much as there are", () => {
  const { plan } = describe([{ tool: "search" }, { tool: "search" }, { tool: "search" }]);
  expect(plan.waves).toEqual([["a0", "a1", "a2"]]);
  expect(plan.edges).toEqual([]);
  expect(plan.estimated_speedup).toBe(3);
});

test("a cap does not part a wave, but the speed-up counts it", () => {
  const { plan } = describe(Array.from({ length: 6 }, () => ({ tool: "three" })));
  expect(plan.waves).toHaveLength(1);
  expect(plan.caps).toEqual({ three: 3 });
  expect(plan.estimated_speedup).toBe(3);
});

test("a sequential-only tool is a cap of one", () => {
  const { plan } = describe([{ tool: "serial" }, { tool: "serial" }, { tool: "search" }]);
  expect(plan.caps).toEqual({ serial: 1 });
  expect(plan.estimated_speedup).toBe(1.5);
});

test("what would fail, and what needs it, is in no wave and costs nothing", () => {
  const { plan, errors } = describe([
    { id: "bad", tool: "item", args: { id: 5 } },
    { id: "child", tool: "search", depends_on: ["bad"] },
    { id: "grandchild", tool: "search", args: { x: { $ref: "child#" } } },
    { id: "fine", tool: "search" },
  ]);
  expect(plan.waves).toEqual([["fine"]]);
  expect(plan.estimated_tokens).toBe(300);
  expect(errors.map(({ id }) => id)).toEqual(["bad"]);
});

test("a step that only comes after one that would fail does not wait for it", () => {
  const { plan } = describe([
    { id: "bad", tool: "book", args: { x: { $ref: "nobody#" } } },
    { id: "look", tool: "agenda" },
  ]);
  expect(plan.waves).toEqual([["look"]]);
  expect(plan.edges).toEqual([]);
});

test("under fail-fast one that would fail means that none runs", () => {
  const actions = [
    { id: "fine", tool: "search" },
    { id: "bad", tool: "nope" },
  ];
  expect(describe(actions, { on_error: "fail-fast" }).plan.waves).toEqual([]);
  expect(describe(actions.slice(0, 1), { on_error: "fail-fast" }).plan.waves).toEqual([["fine"]]);
});

test("the speed-up is that of the longest path going first under a cap", () => {
  const { plan } = describe([
    { id: "short", tool: "serial" },
    { id: "long", tool: "serial" },
    { id: "then", tool: "search", depends_on: ["long"] },
    { id: "last", tool: "search", depends_on: ["then"] },
  ]);
  expect(plan.estimated_speedup).toBe(1.33);
});

test("what would not run because of another delays no other step either", () => {
  const { plan } = describe([
    { id: "bad", tool: "nope" },
    { id: "book", tool: "book", depends_on: ["bad"] },
    { id: "look", tool: "agenda" },
  ]);
  expect(plan.waves).toEqual([["look"]]);
});

test("the cap of what is done in the background is none of this batch", () => {
  const mail = contractOf("mail", {
    isWrite: true,
    execution: "fire-and-forget",
    orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
  });
  const parsed = valueOf(parseBatch({ actions: [{ tool: "mail" }, { tool: "mail" }] }, 0));
  expect(describePlan(valueOf(makePlan(parsed, createCatalog([mail])))).plan.caps).toEqual({});
});

test("with nothing that would run there are no waves and nothing is won", () => {
  expect(describe([{ tool: "nope" }]).plan).toMatchObject({ waves: [], caps: {}, estimated_speedup: 1 });
});

test("max_tokens bounds the estimate", () => {
  expect(describe([{ tool: "search" }], { max_tokens: 50 }).plan.estimated_tokens).toBe(50);
  expect(describe([{ tool: "search" }], { max_tokens: 5_000 }).plan.estimated_tokens).toBe(300);
});

const SERIAL = contractOf("serial", { orchestration: { mode: "sequential-only" } });
const THREE = contractOf("three", { orchestration: { mode: "fan-out-bounded", max_concurrency: 3 } });

trial("every step that would run is in exactly one wave, after all it waits for", () => {
  const plans = fc.array(
    fc.record({
      tool: fc.constantFrom(contractOf("plain"), SERIAL, THREE),
      wrong: fc.integer({ min: 0, max: 9 }),
      needs: fc.array(fc.nat(), { maxLength: 2 }),
      after: fc.array(fc.nat(), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(plans, (steps) => {
      const before = (picks: readonly number[], index: number): string[] =>
        index === 0 ? [] : [...new Set(picks.map((pick) => `s${pick % index}`))];
      const sketches = steps.map(({ tool, wrong, needs, after }, index): StepSketch => ({
        id: `s${index}`,
        tool,
        needs: before(needs, index),
        after: before(after, index),
        ...(wrong === 0 && { refused: makeFailure("INVALID_ARGS") }),
      }));
      const { plan, errors } = describePlan(planOf(sketches));
      const waveOf = new Map(plan.waves.flatMap((ids, wave) => ids.map((id) => [id, wave] as const)));
      expect(waveOf.size).toBe(plan.waves.flat().length);
      expect(plan.waves.every((ids) => ids.length > 0)).toBe(true);
      const failed = new Set(errors.map(({ id }) => id));
      for (const { id, needs = [], after = [] } of sketches) {
        const runs = !failed.has(id) && needs.every((needed) => waveOf.has(needed));
        expect(waveOf.has(id)).toBe(runs);
        for (const earlier of runs ? [...needs, ...after] : [])
          if (waveOf.has(earlier)) expect(waveOf.get(earlier)).toBeLessThan(waveOf.get(id)!);
      }
      expect(plan.estimated_speedup).toBeGreaterThanOrEqual(1);
      expect(plan.estimated_speedup).toBeLessThanOrEqual(Math.max(1, waveOf.size));
    }),
    { numRuns: 500 },
  );
});

test("under fail-fast one wrong action means that nothing would run", () => {
  const { plan, errors } = describe([{ tool: "search" }, { tool: "nope" }], { on_error: "fail-fast" });
  expect(plan.waves).toEqual([]);
  expect(plan.estimated_tokens).toBe(0);
  expect(errors.map(({ index }) => index)).toEqual([1]);
});

test("what waits for a person's yes holds nothing back: it has not happened", () => {
  const { plan } = describe([{ tool: "cancel" }, { tool: "agenda" }, { tool: "book" }]);
  expect(plan.edges).toEqual([{ from: "a1", to: "a2", reason: "hazard: calendar" }]);
  expect(plan.confirmations).toEqual(["a0"]);
});
