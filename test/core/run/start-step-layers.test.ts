import { expect, test } from "vitest";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { layersOf, type Sharing, sharingOf } from "../../../src/core/run/start-step.ts";
import type { Task } from "../../../src/core/plan/step.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";

const NOTHING_SHARED: Sharing = { repeats: null, isCapped: false };
const REPEATS: Sharing = { repeats: { open: new Set(), keys: new Set(["k"]) }, isCapped: false };

const task = (declaration: Partial<ToolDeclaration> = {}, fields: Partial<Task> = {}): Task => {
  const tool = contractOf("tool", declaration);
  return { tool, timeoutMs: 1_000, input: {}, call: null, forEach: undefined, select: null, ...fields };
};

test("a plain read has no layer at all", () => {
  expect(layersOf(task(), { ...NOTHING_SHARED, recalls: true })).toEqual([]);
});

test("each layer is there where it is needed", () => {
  const cached = task({ orchestration: { mode: "parallel-safe", cache_ttl_s: 5 } });
  expect(layersOf(cached, { ...NOTHING_SHARED, recalls: true })).toEqual(["reads"]);
  expect(layersOf(cached, { ...NOTHING_SHARED, recalls: false })).toEqual([]);
  expect(layersOf(task(), { ...REPEATS, recalls: false })).toEqual(["reads"]);
  expect(layersOf(task({}, { select: [["a"]] }), { ...NOTHING_SHARED, recalls: true })).toEqual(["select"]);
  expect(layersOf(task(), { repeats: null, isCapped: true, recalls: true })).toEqual(["cap"]);
  const limited = { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 1, scope: "global" } } as const;
  expect(layersOf(task({ orchestration: limited }), { ...NOTHING_SHARED, recalls: true })).toEqual([
    "permit",
  ]);
});

test("a write has the layer of shared reads too: it ends what they may share", () => {
  const write = task({ isWrite: true, actions: ["create"] });
  expect(layersOf(write, { ...REPEATS, recalls: false })).toContain("reads");
});

test("a read that was ordered after a write shares nothing, and remembers nothing", () => {
  const cached = task({ orchestration: { mode: "parallel-safe", cache_ttl_s: 5 } });
  expect(layersOf(cached, { ...REPEATS, recalls: true, isAfterWrite: true })).toEqual([]);
  expect(layersOf(task({ isWrite: true }), { ...REPEATS, recalls: true, isAfterWrite: true })).toEqual([
    "reads",
  ]);
});

test("layers stand in one order: what shows, what joins, what waits", () => {
  const limited = { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 1, scope: "global" } } as const;
  const all = task({ orchestration: { ...limited, cache_ttl_s: 5 } }, { select: [["a"]] });
  expect(layersOf(all, { ...REPEATS, isCapped: true, recalls: true })).toEqual([
    "select",
    "reads",
    "cap",
    "permit",
  ]);
});

test("sharingOf() finds a cap, and reads that are asked for twice", () => {
  const serial = contractOf("serial", { orchestration: { mode: "sequential-only" } });
  expect(sharingOf(planOf([{ id: "a" }]))).toEqual({ repeats: null, isCapped: false });
  expect(sharingOf(planOf([{ id: "a", tool: serial }]))).toEqual({ repeats: null, isCapped: true });
  expect(sharingOf(planOf([{ id: "a" }, { id: "b" }])).repeats!.keys.size).toBe(1);
});
