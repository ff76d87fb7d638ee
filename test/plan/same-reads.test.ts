import { expect, test } from "vitest";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { parseBatch } from "../../src/contract/batch.ts";
import { findSameReads } from "../../src/plan/same-reads.ts";
import { makePlan } from "../../src/plan/make-plan.ts";
import type { Plan } from "../../src/plan/step.ts";
import { contractOf } from "../support/fake-actions.ts";
import { valueOf } from "../support/unwrap.ts";

const catalog = createCatalog([
  contractOf("near", { domain: "store" }),
  contractOf("far", { domain: "elsewhere" }),
  contractOf("put", { domain: "store", isWrite: true }),
  contractOf("post", { domain: "elsewhere", isWrite: true, execution: "fire-and-forget" }),
]);

const planOf = (actions: readonly object[]): Plan =>
  valueOf(makePlan(valueOf(parseBatch({ actions }, 1_000)), catalog));
const sameOf = (actions: readonly object[]) => [...findSameReads(planOf(actions), () => true)];

test("later reads that ask the same are answered with the first", () => {
  const near = { tool: "near", args: { n: 1 } };
  const same = sameOf([near, { tool: "far", args: { n: 1 } }, near, { tool: "near", args: { n: 2 } }, near]);
  expect(same).toEqual([
    [2, 0],
    [4, 0],
  ]);
});

test("a sync write of the domain means that nothing is certain, wherever it stands", () => {
  const near = { tool: "near", args: { n: 1 } };
  expect(sameOf([near, near, { tool: "put" }])).toEqual([]);
});

test("a background write happens later and changes nothing", () => {
  const far = { tool: "far", args: { n: 1 } };
  expect(sameOf([far, { tool: "post" }, far])).toEqual([[2, 0]]);
});

test("what refers to another action, a loop, another timeout and a write are no same", () => {
  const loop = { tool: "near", for_each: [1, 1], args: {} };
  const referring = { tool: "near", args: { $ref: "a#" } };
  expect(
    sameOf([
      { id: "a", tool: "near", args: { n: 1 } },
      { tool: "near", args: { n: 1 }, timeout_ms: 5 },
      referring,
      referring,
      loop,
      loop,
    ]),
  ).toEqual([]);
  expect(sameOf([{ tool: "put" }, { tool: "put" }])).toEqual([]);
});

test("only tools that are asked about are looked at", () => {
  const near = { tool: "near", args: { n: 1 } };
  expect([...findSameReads(planOf([near, near]), () => false)]).toEqual([]);
});

test("one with an idempotency key is nobody's twin: it may have its result already", () => {
  const near = { tool: "near", args: { n: 1 } };
  const keyed = { ...near, idempotency_key: "k" };
  expect(sameOf([keyed, near, { ...near, idempotency_key: "other" }])).toEqual([]);
  expect(sameOf([keyed, near, near])).toEqual([[2, 1]]);
});
