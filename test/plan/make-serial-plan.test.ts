import { expect, test } from "vitest";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { parseBatchRequest } from "../../src/formats/orchestration-api.ts";
import { makePartition } from "../../src/plan/partition.ts";
import { makeSerialPlan } from "../../src/plan/make-serial-plan.ts";
import { contractOf } from "../support/fake-actions.ts";
import { valueOf } from "../support/unwrap.ts";

const CATALOG = createCatalog([
  contractOf("read"),
  contractOf("grep"),
  contractOf("write", { isWrite: true, actions: ["create"] }),
  contractOf("bash", { isWrite: true, actions: ["run"] }),
]);

function planOf(...tools: readonly object[]) {
  const calls = valueOf(parseBatchRequest({ tools }, 0));
  return makeSerialPlan(makePartition(calls, CATALOG), CATALOG);
}

const call = (toolName: string, input: object = {}) => ({ id: toolName, toolName, input });

test("reads wait for nobody but the writes before them, which must have succeeded", () => {
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
