import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { toBatchJson, toPartitionJson } from "../../../src/features/orchestration/orchestration-answer.ts";
import { parsePartitionRequest } from "../../../src/features/orchestration/orchestration-api.ts";
import { makePartition } from "../../../src/features/orchestration/partition.ts";
import { SAMPLE_CATALOG } from "../../support/sample-tools.ts";
import { valueOf } from "../../support/unwrap.ts";

const partitionOf = (tools: readonly unknown[]) =>
  makePartition(valueOf(parsePartitionRequest({ tools }, 0)), SAMPLE_CATALOG);

const success = (data: unknown, durationMs = 1): Outcome => ({
  status: "success",
  data,
  json: JSON.stringify(data),
  meta: { durationMs },
});

const CALL = { id: "t1", toolName: "write", input: {} };

/** The one result of a batch of one. */
function resultOf(outcome: Outcome): unknown {
  const json = toBatchJson(partitionOf([CALL]), { outcomes: [outcome], totalDurationMs: 1 });
  return JSON.parse(json).result.results[0];
}

test("toBatchJson() writes a success with its output and time", () => {
  expect(resultOf(success({ a: [1] }, 12))).toEqual({
    toolId: "t1",
    toolName: "write",
    success: true,
    output: { a: [1] },
    durationMs: 12,
  });
});

test("toBatchJson() passes on output text as it is", () => {
  const outcome: Outcome = { status: "success", data: 1, json: "1.0", meta: {} };
  const json = toBatchJson(partitionOf([CALL]), { outcomes: [outcome], totalDurationMs: 1 });
  expect(json).toContain('"output":1.0,"durationMs":0}');
});

test.each<[string, Outcome, object]>([
  [
    "a failure",
    { status: "error", error: makeFailure("UNKNOWN_TOOL", { hint: "Try x." }), meta: { durationMs: 3 } },
    { success: false, error: "UNKNOWN_TOOL: There is no tool of that name. Try x.", durationMs: 3 },
  ],
  [
    "a failure without a hint",
    { status: "error", error: makeFailure("TOOL_FAILED"), meta: {} },
    { success: false, error: "TOOL_FAILED: The tool itself failed.", durationMs: 0 },
  ],
  [
    "a write that may have happened",
    { status: "unknown", error: makeFailure("TIMEOUT"), meta: { durationMs: 9 } },
    { success: false, error: "TIMEOUT: The call took longer than it may.", durationMs: 9 },
  ],
  [
    "a recorded job",
    { status: "initiated", jobId: "j1", meta: {} },
    { success: true, output: { status: "initiated", job_id: "j1" }, durationMs: 0 },
  ],
  [
    "a skip whose cause is not among the calls",
    { status: "skipped", because: "a9", error: makeFailure("ABORTED"), meta: {} },
    { success: false, error: "ABORTED: The batch stopped at its first failure.", durationMs: 0 },
  ],
])("toBatchJson() writes %s", (_, outcome, expected) => {
  expect(resultOf(outcome)).toEqual({ toolId: "t1", toolName: "write", ...expected });
});

test("toBatchJson() says which failure kept a call from running, by the caller's own id", () => {
  const partition = partitionOf([
    { id: "same", toolName: "read", input: {} },
    { id: "same", toolName: "write", input: {} },
    { id: "t3", toolName: "read", input: {} },
  ]);
  const outcomes: Outcome[] = [
    success("x"),
    { status: "error", error: makeFailure("TOOL_FAILED"), meta: { durationMs: 1 } },
    { status: "skipped", because: "a1", error: makeFailure("ABORTED"), meta: {} },
  ];
  const { result } = JSON.parse(toBatchJson(partition, { outcomes, totalDurationMs: 5 }));
  expect(result.success).toBe(false);
  expect(result.results[2]).toEqual({
    toolId: "t3",
    toolName: "read",
    success: false,
    error: "Not executed: 'write' ('same') failed before it.",
    durationMs: 0,
  });
});

test("toBatchJson() answers every call once, in the order asked, ids and names as they were sent", () => {
  const tools = [
    { id: 'b\u2028"', toolName: "re\u202ead", input: {} },
    { id: 'b\u2028"', toolName: "read", input: {} },
    null,
    { id: "", toolName: "grep", input: {} },
  ];
  const outcomes = tools.map((_, index) => success(index));
  const { result } = JSON.parse(toBatchJson(partitionOf(tools), { outcomes, totalDurationMs: 1 }));
  expect(result.success).toBe(true);
  expect(
    result.results.map((one: Record<string, unknown>) => [one["toolId"], one["toolName"], one["output"]]),
  ).toEqual([
    ['b\u2028"', "re\u202ead", 0],
    ['b\u2028"', "read", 1],
    ["", "", 2],
    ["", "grep", 3],
  ]);
});

test("toPartitionJson() shows every call exactly as it was sent", () => {
  const tools = [
    { id: 5, toolName: "read", extra: [null] },
    null,
    "x",
    { id: "t", toolName: "read", input: {} },
  ];
  const { batches } = JSON.parse(toPartitionJson(partitionOf(tools)));
  expect(
    batches.flatMap((batch: { tools: { call: unknown }[] }) => batch.tools.map(({ call }) => call)),
  ).toEqual(tools);
});

test("toPartitionJson() of no calls has no batches", () => {
  expect(JSON.parse(toPartitionJson(partitionOf([])))).toEqual({
    batches: [],
    stats: {
      totalTools: 0,
      parallelBatches: 0,
      serialBatches: 0,
      maxParallelism: 1,
      estimatedSpeedup: "100%",
    },
  });
});
