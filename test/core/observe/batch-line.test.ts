import { describe, expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import type { Telemetry } from "../../../src/core/egress/ports.ts";
import type { SeenBatch } from "../../../src/core/observe/seen.ts";
import { Watch } from "../../../src/core/observe/watch.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";
import { SeenOperator } from "../../support/seen-operator.ts";

const ORIGIN = { tenant: "acme", key: "tester", requestId: "first-request" };
const done: Outcome = { status: "success", data: 1, json: "1", meta: {} };
const failed = (code: Parameters<typeof makeFailure>[0]): Outcome => ({
  status: "error",
  error: makeFailure(code),
  meta: {},
});
const lost: Outcome = { status: "unknown", error: makeFailure("TIMEOUT"), meta: {} };

/** A batch that is over, with an outcome for each of its steps. */
function batchOf(outcomes: readonly Outcome[], more: Partial<SeenBatch> = {}): SeenBatch {
  return {
    kind: "run",
    plan: planOf(outcomes.map((_, at) => ({ id: `a${at}` }))),
    outcomes,
    batchId: "batch-1",
    durationMs: 5,
    maxParallelism: 1,
    degraded: false,
    origin: ORIGIN,
    isTool: () => false,
    ...more,
  };
}

function watchOf(operator: Telemetry | undefined, times: readonly number[] = []) {
  const left = [...times];
  let now = 0;
  const clock = { now: () => (now = left.shift() ?? now) };
  return new Watch({ clock, requestId: "this-request", telemetry: operator });
}

function lineOf(batch: SeenBatch): Readonly<Record<string, unknown>> {
  const operator = new SeenOperator();
  watchOf(operator).sawBatch(batch);
  return operator.told("batch")[0]!;
}

describe("The line of a batch", () => {
  test("warns when one action failed and another's end is not known", () => {
    expect(lineOf(batchOf([failed("NOT_FOUND"), lost]))["level"]).toBe("warn");
    expect(lineOf(batchOf([done, lost]))["level"]).toBe("warn");
    expect(lineOf(batchOf([done]))["level"]).toBe("info");
  });

  test("names the flow that the batch is, and that the gate counted nothing of it; else it has neither", () => {
    expect(lineOf(batchOf([done], { tool: 'night "ly"', degraded: true }))).toMatchObject({
      flow: 'night "ly"',
      degraded: true,
    });
    const plain = lineOf(batchOf([done]));
    for (const key of ["flow", "degraded", "trace_id"]) expect(plain).not.toHaveProperty(key);
  });

  test("has the request and the trace that a job of it came from, and the caller's trace where there is none", () => {
    const traceId = "a".repeat(32);
    const operator = new SeenOperator();
    const watch = watchOf(operator);
    watch.continueTrace("b".repeat(32));
    watch.continueTrace(null);
    expect(watch.trace).toEqual({ traceId: "b".repeat(32) });
    watch.sawBatch(batchOf([done], { origin: { ...ORIGIN, traceId } }));
    watch.sawBatch(batchOf([done]));
    watch.origin = { ...ORIGIN, traceId };
    watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 429 });
    watch.origin = ORIGIN;
    watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 429 });
    const ids = operator.logged.map((line) => JSON.parse(line) as object);
    expect(ids).toMatchObject([
      { request_id: "first-request", trace_id: traceId },
      { request_id: "first-request", trace_id: "b".repeat(32) },
      { request_id: "first-request", trace_id: traceId },
      { request_id: "first-request", trace_id: "b".repeat(32) },
    ]);
  });

  test("has the time of each stage", () => {
    const operator = new SeenOperator();
    const watch = watchOf(operator, [0, 1, 3, 7, 15]);
    watch.enter("plan");
    watch.enter("admit");
    watch.enter("run");
    watch.sawBatch(batchOf([done]));
    expect(operator.told("batch")[0]).toMatchObject({ parse_ms: 1, plan_ms: 2, admit_ms: 4, run_ms: 8 });
  });

  test("has the longest wait of its actions, and how often all of them were tried", () => {
    const waited = (queuedMs: number): Outcome => ({ ...done, meta: { queuedMs, attempts: 2, bytes: 10 } });
    expect(lineOf(batchOf([waited(3), waited(9), waited(4), done]))).toMatchObject({
      queued_ms: 9,
      attempts: 6,
      bytes: 30,
    });
  });

  test("counts a tool by its own name where an action called it by another", () => {
    const plan = planOf([{ id: "a", tool: contractOf("send_email") }]);
    const aliased = { ...plan, steps: plan.steps.map((step) => ({ ...step, toolName: "mail" })) };
    expect(lineOf(batchOf([done], { plan: aliased }))["tools"]).toEqual({ send_email: 1 });
  });
});

describe("An operator", () => {
  test("that there is not is told nothing", () => {
    const watch = watchOf(undefined);
    watch.sawBatch(batchOf([done]));
    watch.sawRefusal({ code: "UNAUTHORIZED", status: 401 });
    expect(watch.telemetry).toBeUndefined();
  });

  test("without a dataset has lines, and one without lines has points", () => {
    const noPoints: Telemetry & { logged: string[] } = {
      logged: [],
      lines: "all",
      writePoint: null,
      log: (_, json) => void noPoints.logged.push(json),
    };
    const noLines = new SeenOperator("off");
    for (const operator of [noPoints, noLines]) {
      const watch = watchOf(operator);
      watch.origin = ORIGIN;
      watch.sawBatch(batchOf([done]));
      watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 429 });
    }
    expect(noPoints.logged).toHaveLength(2);
    expect(noLines.logged).toEqual([]);
    expect(noLines.points.map(({ blobs }) => blobs[0])).toEqual(["batch", "action", "refused"]);
  });

  test("is told as an error of a refusal that is ours, with the time that it took", () => {
    const operator = new SeenOperator();
    const watch = watchOf(operator, [100, 130, 160]);
    watch.sawRefusal({ code: "UNAVAILABLE", status: 500 });
    watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 499 });
    expect(operator.told("request_refused")).toMatchObject([
      { level: "error", duration_ms: 30 },
      { level: "warn", duration_ms: 60 },
    ]);
  });
});

describe("The points of a batch", () => {
  test("have the code that most of its failures have, and none where nothing failed", () => {
    const operator = new SeenOperator();
    const watch = watchOf(operator);
    watch.sawBatch(batchOf([failed("NOT_FOUND"), failed("TIMEOUT"), failed("TIMEOUT"), failed("INTERNAL")]));
    watch.sawBatch(batchOf([done]));
    const codes = operator.points.filter(({ blobs }) => blobs[0] === "batch").map(({ blobs }) => blobs[6]);
    expect(codes).toEqual(["TIMEOUT", ""]);
  });

  test("leave room for later batches, and end when a request may write no more", () => {
    const operator = new SeenOperator();
    const watch = watchOf(operator);
    watch.origin = ORIGIN;
    const refuse = (times: number) => {
      for (let n = 0; n < times; n += 1) watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 429 });
    };
    refuse(LIMITS.dataPoints - LIMITS.dataPointsReserved - 3);
    watch.sawBatch(batchOf([done, done, done]));
    const told = operator.points.slice(-3).map(({ blobs, doubles }) => [blobs[0], doubles[12]]);
    expect(told).toEqual([
      ["batch", 1],
      ["action", undefined],
      ["action", undefined],
    ]);
    refuse(LIMITS.dataPointsReserved);
    watch.sawBatch(batchOf([done]));
    expect(operator.points).toHaveLength(LIMITS.dataPoints);
  });
});
