import { expect, test } from "vitest";
import * as z from "zod";

import { createCatalog } from "../../support/create-catalog.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { parseBatchRequest } from "../../../src/features/orchestration/orchestration-api.ts";
import { makePartition } from "../../../src/features/orchestration/partition.ts";
import { makeSerialPlan } from "../../../src/features/orchestration/make-serial-plan.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { valueOf } from "../../support/unwrap.ts";

const CATALOG = createCatalog([
  contractOf("read"),
  contractOf("grep"),
  contractOf("write", { isWrite: true, actions: ["create"] }),
  contractOf("bash", { isWrite: true, actions: ["run"] }),
  contractOf("ask", { isWrite: true, actions: ["delete"] }),
  contractOf("count", { input: z.strictObject({ n: z.number() }) }),
  contractOf("pay", {
    input: z.strictObject({ amount: z.number().default(500) }),
    isWrite: true,
    orchestration: { mode: "sequential-only", confirm: { when: { "/amount": { gte: 100 } } } },
  }),
]);

function planOf(...tools: readonly object[]) {
  const calls = valueOf(parseBatchRequest({ tools }, 0));
  return makeSerialPlan(makePartition(calls, CATALOG), CATALOG);
}

const call = (toolName: string, input: object = {}) => ({ id: toolName, toolName, input });

test("reads wait only for the writes before them, which must have succeeded", () => {
  const { steps } = planOf(call("read"), call("grep"), call("write"), call("read"));
  expect(steps.map(({ needs, after }) => ({ needs, after }))).toEqual([
    { needs: [], after: [] },
    { needs: [], after: [] },
    { needs: [], after: [0, 1] },
    { needs: [2], after: [] },
  ]);
});

test("every step needs all writes before it, so one that failed stops everything after it", () => {
  const { steps } = planOf(call("write"), call("read"), call("write"), call("read"));
  expect(steps.map(({ needs }) => needs)).toEqual([[], [0], [0], [0, 2]]);
});

test("the class decides, not the tool's contract: a shell that only reads waits like a read", () => {
  const { steps } = planOf(
    call("bash", { command: "cat a" }),
    call("read"),
    call("bash", { command: "rm a" }),
  );
  expect(steps.map(({ needs, after }) => [needs, after])).toEqual([
    [[], []],
    [[], []],
    [[], [0, 1]],
  ]);
});

test("a plan says why a step waits, and runs it as nothing but a call of this request", () => {
  const plan = planOf(call("read"), call("write"), call("read"));
  expect(plan.steps.map(({ edges, parking, remaining }) => ({ edges, parking, remaining }))).toEqual([
    { edges: [], parking: null, remaining: 3 },
    { edges: [{ from: 0, reason: "hazard: all" }], parking: null, remaining: 2 },
    { edges: [{ from: 1, reason: "hazard: all" }], parking: null, remaining: 1 },
  ]);
  expect(plan).toMatchObject({
    onError: "partial-success",
    demotes: false,
    handles: [],
    sharesReads: false,
    maxTokens: null,
    deadlineMs: LIMITS.maxDeadlineMs,
  });
});

test("a tool that asks a person first is refused in its place, and so are arguments that do not fit", () => {
  const { steps } = planOf(call("ask"), call("count", { n: "many" }), call("count", { n: 1 }));
  expect(steps.map(({ task }) => (task.ok ? "ok" : task.error.code))).toEqual([
    "CONFIRMATION_INVALID",
    "INVALID_ARGS",
    "ok",
  ]);
});

test("T57 a tool that asks for some arguments is refused by those that it will get, a default among them", () => {
  const { steps } = planOf(call("pay"), call("pay", { amount: 5 }), call("pay", { amount: "5" }));
  expect(steps.map(({ task }) => (task.ok ? "ok" : task.error.code))).toEqual([
    "CONFIRMATION_INVALID",
    "ok",
    "INVALID_ARGS",
  ]);
});

test.each([
  ["one that it calls may change", ["read", "added"], 7],
  ["none that it calls may change", ["read"], undefined],
])("a plan is of a version of the tools when %s", (_, tools, version) => {
  const calls = valueOf(parseBatchRequest({ tools: [...tools.map((name) => call(name)), { id: "x" }] }, 0));
  const added = { ...contractOf("added"), added: { json: "{}", fingerprint: "f" } };
  const catalog = CATALOG.extend([added], 7);
  expect(makeSerialPlan(makePartition(calls, catalog), catalog).toolsVersion).toBe(version);
});

test("what looks like a reference is data", () => {
  const { steps } = planOf(call("write", { content: { $ref: "read#/x" } }));
  expect(steps[0]!.task).toMatchObject({
    ok: true,
    value: { call: { input: { content: { $ref: "read#/x" } } } },
  });
});

test("an unknown tool and a malformed call fail in their place", () => {
  const { steps } = planOf(call("nothing"), { id: "x" });
  expect(steps.map(({ task }) => (task.ok ? "ok" : task.error.code))).toEqual([
    "UNKNOWN_TOOL",
    "INVALID_ACTION",
  ]);
});
