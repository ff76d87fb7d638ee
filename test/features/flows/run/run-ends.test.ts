import { describe, expect, test } from "vitest";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import type { JobClaim } from "../../../../src/core/contract/gate/job.ts";
import type { Outcome } from "../../../../src/core/contract/outcome.ts";
import { toOutcome } from "../../../../src/features/flows/run/run-flow.ts";
import { runJob } from "../../../../src/features/flows/run/run-job.ts";
import { makeFailure } from "../../../../src/core/contract/failure.ts";
import { TestWorld } from "../../../support/execute-batch.ts";
import { toRunnable } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { contractOf, planOf } from "../../../support/fake-actions.ts";
import { valueOf } from "../../../support/unwrap.ts";

const fails = (name: string, code: "UPSTREAM_ERROR" | "CIRCUIT_OPEN" | "NOT_FOUND", more: object = {}) =>
  contractOf(name, { run: () => Promise.reject(new ToolFailure(code, more)) });
const ASKS = contractOf("asks", {
  isWrite: true,
  actions: ["delete"],
  orchestration: { mode: "sequential-only", confirm: "always" },
  run: async () => ({ done: true }),
});

function flowOf(
  actions: readonly object[],
  { answer, ...batch }: { answer?: unknown; deadline_ms?: number } = {},
): Tool {
  return {
    ...contractOf("flow", { isWrite: true, orchestration: { mode: "sequential-only", confirm: "always" } }),
    inner: toRunnable({ batch: valueOf(parseBatch({ actions, ...batch }, 1_000)), answer, tools: ["*"] }),
  };
}

const claimOf = (run: JobClaim["spec"]["run"] = { trigger: "webhook", deadlineMs: 15_000 }): JobClaim => ({
  spec: {
    id: "0f0f0f0f-0000-4000-8000-00000000abcd",
    tool: "flow",
    argsJson: "{}",
    idempotencyKey: "aaaaaaaa-0000-4000-8000-000000000000",
    maxAttempts: 5,
    backoffInitialMs: 1_000,
    delivery: "at-least-once",
    ...(run !== undefined && { run }),
  },
  attempt: 1,
  fence: 1,
});

async function runOf(
  tools: readonly Tool[],
  flow: Tool,
  { world = new TestWorld(), claim = claimOf() } = {},
) {
  return world.clock.runUntil(runJob(claim, flow, world.execution(tools)));
}

describe("A run that is tried again", () => {
  test("waits as long as the most patient of those that failed", async () => {
    const tools = [
      fails("soon", "UPSTREAM_ERROR", { retryable: true, retryAfterMs: 5_000 }),
      fails("late", "UPSTREAM_ERROR", { retryable: true, retryAfterMs: 90_000 }),
    ];
    const { end } = await runOf(tools, flowOf([{ tool: "soon" }, { tool: "late" }]));
    expect(end).toMatchObject({ kind: "failed", error: { retryable: true, retry_after_ms: 90_000 } });
  });

  test("has used no attempt where a breaker kept in all that failed, and one where it kept in only some", async () => {
    const tools = [
      fails("kept_in", "CIRCUIT_OPEN", { retryable: true }),
      fails("sent", "UPSTREAM_ERROR", { retryable: true }),
    ];
    const endOf = async (...names: string[]) =>
      (await runOf(tools, flowOf(names.map((tool) => ({ tool }))))).end.kind;
    expect(await endOf("kept_in")).toBe("deferred");
    expect(await endOf("sent")).toBe("failed");
    expect(await endOf("kept_in", "sent")).toBe("failed");
  });

  test("says of its last attempt that it might have passed, and why it did not", async () => {
    const tools = [fails("soon", "UPSTREAM_ERROR", { retryable: true })];
    const claim = { ...claimOf(), attempt: 5 };
    const { end } = await runOf(tools, flowOf([{ tool: "soon" }]), { claim });
    expect(end).toMatchObject({ kind: "failed", error: { code: "UPSTREAM_ERROR", retryable: true } });
  });

  test("costs an attempt, although the gate could not admit it", async () => {
    const world = new TestWorld();
    world.gate.down = true;
    const later = contractOf("later", { isWrite: true, execution: "fire-and-forget" });
    const { end, report } = await runOf([later], flowOf([{ tool: "later" }]), { world });
    expect(end).toMatchObject({
      kind: "failed",
      error: { code: "OVERLOADED", hint: expect.stringContaining("limiter") as string },
    });
    expect(report).toBeUndefined();
  });
});

describe("A run that cannot run", () => {
  test("does not begin where what it was given does not fit, or a tool of it is gone", async () => {
    const { end } = await runOf([], flowOf([{ id: "g", tool: "gone" }]));
    expect(end).toMatchObject({
      kind: "failed",
      error: { code: "FLOW_BROKEN", retryable: false, hint: expect.stringContaining("'g'") as string },
    });
  });
});

describe("A run that asks a person", () => {
  test("says of which flow and run the question is, and what started it", async () => {
    const askerOf = async (claim: JobClaim) => {
      const world = new TestWorld();
      await runOf([ASKS], flowOf([{ tool: "asks" }]), { world, claim });
      return [...world.gate.parked.values()].map(({ asker }) => asker);
    };
    const runId = claimOf().spec.id;
    expect(await askerOf(claimOf())).toEqual([
      expect.objectContaining({ flow: "flow", trigger: "webhook", runId }),
    ]);
    const { run: _, ...spec } = claimOf().spec;
    const [asker] = await askerOf({ ...claimOf(), spec });
    expect(asker).not.toHaveProperty("trigger");
  });

  test("has failed all the same where something else of it has, for good", async () => {
    const tools = [ASKS, fails("never", "NOT_FOUND")];
    const { end } = await runOf(tools, flowOf([{ tool: "asks" }, { tool: "never" }]));
    expect(end).toMatchObject({ kind: "failed", error: { code: "NOT_FOUND", retryable: false } });
  });
});

test("A run that is unfinished at its end leaves no job of a read behind", async () => {
  const world = new TestWorld();
  const slow = contractOf("slow", { run: () => world.clock.sleep(5_000).then(() => ({})) });
  const { end } = await runOf([slow], flowOf([{ tool: "slow" }], { deadline_ms: 1_000 }), { world });
  expect(end.kind).toBe("failed");
  expect(world.gate.recordedIds.size).toBe(0);
});

test("A flow in a batch asks no question again, where none was needed before", async () => {
  const world = new TestWorld();
  const tools = [ASKS, flowOf([{ tool: "asks" }], { answer: { $ref: "a0#/done" } })];
  const caller = { ...world.execution([]).caller, flags: ["skip_approval"] };
  const body = { actions: [{ tool: "flow" }], skip_approval: true };
  const { results } = await world.run(tools, body, { caller });
  expect(results[0]).toMatchObject({ status: "success", data: true });
  expect(world.gate.parked.size).toBe(0);
});

describe("toOutcome()", () => {
  const plan = planOf([{ id: "a" }, { id: "b" }]);
  const ok: Outcome = { status: "success", data: 1, json: "1", meta: {} };
  const failed: Outcome = { status: "error", error: makeFailure("NOT_FOUND", { hint: "Gone." }), meta: {} };
  const lost: Outcome = { status: "unknown", error: makeFailure("TIMEOUT", { hint: "Late." }), meta: {} };
  const of = (outcomes: Outcome[], answer?: unknown) => toOutcome(plan, { outcomes }, answer);

  test("of a lost write is unknown, whatever else has failed, unless the answer is there", () => {
    expect(of([failed, lost])).toMatchObject({
      status: "unknown",
      error: { code: "DEPENDENCY_FAILED", hint: "Its action 'b' ended as unknown (TIMEOUT). Late." },
    });
    expect(of([failed, lost], { $ref: "a#" }).status).toBe("unknown");
    expect(of([ok, lost], { $ref: "a#" })).toMatchObject({ status: "success", data: 1 });
    expect(of([failed, ok], { $ref: "a#" })).toMatchObject({ status: "error" });
  });

  test("of an unknown name is a failure of the answer", () => {
    expect(of([ok, ok], { $ref: "nowhere#" }).status).toBe("error");
  });

  test("of an answer that JSON cannot say is a failure, not a throw", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(of([{ ...ok, data: circle }, ok], { $ref: "a#" }).status).toBe("error");
  });
});
