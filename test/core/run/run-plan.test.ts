import { expect, test } from "vitest";

import type { OnError } from "../../../src/core/contract/batch.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { runPlan } from "../../../src/core/run/run-plan.ts";
import {
  contractOf,
  FakeActions,
  fakePark,
  planOf,
  SOME_FAILURE,
  type StepSketch,
} from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SERIAL = contractOf("serial", { orchestration: { mode: "sequential-only" } });
const LIMITED = contractOf("limited", { orchestration: { mode: "fan-out-bounded", max_concurrency: 3 } });
const WRITE = contractOf("write", { isWrite: true, actions: ["create"] });
const EMAIL = contractOf("email", { isWrite: true, actions: ["create"], execution: "fire-and-forget" });

interface Options {
  readonly onError?: OnError;
  readonly deadlineMs?: number;
  readonly disconnectAfterMs?: number;
}

async function run(sketches: readonly StepSketch[], options: Options = {}) {
  const clock = new VirtualClock(0);
  const actions = new FakeActions(clock, sketches);
  const seen: string[] = [];
  const gone = new AbortController();
  if (options.disconnectAfterMs !== undefined) clock.after(options.disconnectAfterMs, () => gone.abort());
  const result = await clock.runUntil(
    runPlan(planOf(sketches, options), actions.start, {
      clock,
      signal: gone.signal,
      park: fakePark,
      onOutcome: (step) => seen.push(step.id),
    }),
  );
  const { outcomes } = result;
  const byId = Object.fromEntries(sketches.map(({ id }, index) => [id, outcomes[index]!])) as Record<
    string,
    Outcome
  >;
  return { ...result, byId, actions, seen, clock, endedAt: clock.now() };
}

const statuses = (outcomes: readonly Outcome[]): string[] => outcomes.map(({ status }) => status);
const codeOf = (outcome: Outcome | undefined): string | undefined =>
  outcome !== undefined && "error" in outcome ? outcome.error.code : undefined;

test("actions that do not depend on each other run at once", async () => {
  const { outcomes, endedAt } = await run([
    { id: "a", ms: 300 },
    { id: "b", ms: 200 },
    { id: "c", ms: 100 },
  ]);
  expect(statuses(outcomes)).toEqual(["success", "success", "success"]);
  expect(endedAt).toBe(300);
});

test("an action starts the moment its own dependencies succeeded, not when a layer ends", async () => {
  const { actions } = await run([
    { id: "slow", ms: 1_000 },
    { id: "quick", ms: 10 },
    { id: "after-quick", needs: ["quick"], ms: 10 },
  ]);
  expect(actions.startedAt.get("after-quick")).toBe(10);
});

test("a sequential-only tool is called once at a time, in the order asked", async () => {
  const { actions, outcomes } = await run([
    { id: "a", tool: SERIAL, ms: 100 },
    { id: "b", tool: SERIAL, ms: 50 },
    { id: "c", tool: SERIAL, ms: 50 },
  ]);
  expect([...actions.startedAt]).toEqual([
    ["a", 0],
    ["b", 100],
    ["c", 150],
  ]);
  expect(outcomes.map(({ meta }) => meta.queuedMs)).toEqual([0, 100, 150]);
});

test("a capped tool never has more calls under way than its cap and does not hold up other tools", async () => {
  const sketches = Array.from({ length: 8 }, (_, n): StepSketch => ({ id: `l${n}`, tool: LIMITED, ms: 100 }));
  const { actions, endedAt } = await run([...sketches, { id: "free", ms: 10 }]);
  expect(actions.peaks.get("limited")).toBe(3);
  expect(actions.startedAt.get("free")).toBe(0);
  expect(endedAt).toBe(300);
});

test("a failure skips exactly what depends on it and names the action that failed", async () => {
  const { byId, actions } = await run([
    { id: "a", fails: SOME_FAILURE, ms: 10 },
    { id: "b", needs: ["a"] },
    { id: "c", needs: ["b"] },
    { id: "d", ms: 50 },
  ]);
  expect(byId["b"]).toMatchObject({ status: "skipped", because: "a", error: { code: "DEPENDENCY_FAILED" } });
  expect(byId["c"]).toMatchObject({ status: "skipped", because: "a" });
  expect(byId["d"]?.status).toBe("success");
  expect(actions.startedAt.has("b")).toBe(false);
});

test("an action that was wrong to begin with fails in its place and its siblings run", async () => {
  const { outcomes } = await run([
    { id: "a" },
    { id: "b", refused: makeFailure("UNKNOWN_TOOL") },
    { id: "c" },
  ]);
  expect(statuses(outcomes)).toEqual(["success", "error", "success"]);
});

test("fail-fast starts nothing after the first failure and keeps what had finished", async () => {
  const { byId, actions } = await run(
    [
      { id: "done", ms: 5 },
      { id: "bad", ms: 10, fails: SOME_FAILURE },
      { id: "slow-read", ms: 500 },
      { id: "later", needs: ["done", "slow-read"] },
      { id: "child", needs: ["bad"] },
    ],
    { onError: "fail-fast" },
  );
  expect(byId["done"]?.status).toBe("success");
  expect(byId["slow-read"]).toMatchObject({ status: "error", error: { code: "ABORTED" } });
  expect(byId["later"]).toMatchObject({ status: "skipped", because: "bad", error: { code: "ABORTED" } });
  expect(byId["child"]).toMatchObject({
    status: "skipped",
    because: "bad",
    error: { code: "DEPENDENCY_FAILED" },
  });
  expect(actions.startedAt.has("later")).toBe(false);
});

test("fail-fast waits for a write that was already sent", async () => {
  const { byId, endedAt } = await run(
    [
      { id: "bad", ms: 10, fails: SOME_FAILURE },
      { id: "write", tool: WRITE, ms: 300 },
    ],
    { onError: "fail-fast" },
  );
  expect(byId["write"]?.status).toBe("success");
  expect(endedAt).toBe(300);
});

test("fail-fast runs nothing at all when an action was wrong to begin with", async () => {
  const { byId, actions } = await run(
    [{ id: "a" }, { id: "b", tool: EMAIL }, { id: "bad", refused: makeFailure("INVALID_ARGS") }],
    { onError: "fail-fast" },
  );
  expect(actions.startedAt.size).toBe(0);
  expect(byId["a"]).toMatchObject({ status: "skipped", because: "bad", error: { code: "ABORTED" } });
  expect(byId["b"]).toMatchObject({ status: "skipped", because: "bad" });
});

test("under fail-fast an action that needs the failed one and another says which one failed it", async () => {
  const { byId } = await run(
    [
      { id: "late", needs: ["slow"] },
      { id: "slow", ms: 500 },
      { id: "both", needs: ["late", "bad"] },
      { id: "bad", ms: 10, fails: SOME_FAILURE },
    ],
    { onError: "fail-fast" },
  );
  expect(byId["late"]).toMatchObject({ status: "skipped", because: "bad", error: { code: "ABORTED" } });
  expect(byId["both"]).toMatchObject({
    status: "skipped",
    because: "bad",
    error: { code: "DEPENDENCY_FAILED" },
  });
});

test("under fail-fast a write that only comes after the failed one is aborted, not started", async () => {
  const { byId, actions } = await run(
    [
      { id: "first", tool: WRITE, ms: 10, fails: SOME_FAILURE },
      { id: "second", tool: WRITE, after: ["first"] },
      { id: "third", tool: WRITE, after: ["first", "second"], needs: ["second"] },
    ],
    { onError: "fail-fast" },
  );
  expect([...actions.startedAt.keys()]).toEqual(["first"]);
  for (const id of ["second", "third"])
    expect(byId[id]).toMatchObject({ status: "skipped", because: "first", error: { code: "ABORTED" } });
});

test.each<OnError>(["partial-success", "fail-fast"])(
  "under %s an action that was wrong to begin with says so itself, whatever it depends on",
  async (onError) => {
    const { byId } = await run(
      [
        { id: "unknown", refused: makeFailure("UNKNOWN_TOOL") },
        { id: "wrong", needs: ["unknown"], refused: makeFailure("INVALID_ARGS") },
        { id: "child", needs: ["wrong"] },
      ],
      { onError },
    );
    expect(codeOf(byId["unknown"])).toBe("UNKNOWN_TOOL");
    expect(byId["wrong"]).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
    expect(byId["child"]).toMatchObject({
      status: "skipped",
      because: "wrong",
      error: { code: "DEPENDENCY_FAILED" },
    });
  },
);

test("a skipped step keeps no other waiting, and its neighbours keep their order", async () => {
  const { actions } = await run([
    { id: "one", tool: WRITE, ms: 100 },
    { id: "bad", ms: 10, fails: SOME_FAILURE },
    { id: "two", tool: WRITE, needs: ["bad"], after: ["one"] },
    { id: "three", tool: WRITE, after: ["one", "two"] },
  ]);
  expect(actions.startedAt.has("two")).toBe(false);
  expect(actions.startedAt.get("three")).toBe(100);
});

test("at the deadline finished results stay, reads end, and a write that was sent is unknown", async () => {
  const { byId, endedAt } = await run(
    [
      { id: "done", ms: 50 },
      { id: "read", ms: 900 },
      { id: "write", tool: WRITE, ms: 900 },
      { id: "waiting", needs: ["read"] },
    ],
    { deadlineMs: 100 },
  );
  expect(endedAt).toBe(100);
  expect(byId["done"]?.status).toBe("success");
  expect(byId["read"]).toMatchObject({ status: "error", error: { code: "DEADLINE_EXCEEDED" } });
  expect(byId["write"]?.status).toBe("unknown");
  expect(codeOf(byId["waiting"])).toBe("DEADLINE_EXCEEDED");
});

test.each([
  ["forwards", ["running", "next", "last"]],
  ["backwards", ["last", "next", "running"]],
])("at the deadline every link of a chain says so, asked %s", async (_, order) => {
  const links: Record<string, StepSketch> = {
    running: { id: "running", ms: 900 },
    next: { id: "next", needs: ["running"] },
    last: { id: "last", needs: ["next"] },
  };
  const { byId, seen } = await run(
    order.map((id) => links[id]!),
    { deadlineMs: 100 },
  );
  expect(order.map((id) => [byId[id]?.status, codeOf(byId[id])])).toEqual(
    order.map(() => ["error", "DEADLINE_EXCEEDED"]),
  );
  expect([...seen].sort()).toEqual(["last", "next", "running"]);
});

test("when the caller goes away what was to begin is cancelled, and what waited for something cancelled is skipped", async () => {
  const { byId } = await run(
    [
      { id: "read", ms: 900 },
      { id: "next", needs: ["read"] },
      { id: "last", needs: ["next"] },
      { id: "write", tool: WRITE, ms: 300 },
      { id: "written", needs: ["write"] },
      { id: "behind", tool: WRITE, after: ["write"] },
      { id: "both", needs: ["behind", "write"] },
    ],
    { disconnectAfterMs: 100 },
  );
  const said = Object.entries(byId).map(([id, outcome]) => [
    id,
    codeOf(outcome) ?? outcome.status,
    outcome.status === "skipped" ? outcome.because : null,
  ]);
  expect(said).toEqual([
    ["read", "CANCELLED", null],
    ["next", "DEPENDENCY_FAILED", "read"],
    ["last", "DEPENDENCY_FAILED", "read"],
    ["write", "success", null],
    ["written", "CANCELLED", null],
    ["behind", "CANCELLED", null],
    ["both", "DEPENDENCY_FAILED", "behind"],
  ]);
});

test("a write that outlives the deadline is let finish", async () => {
  const { drain, clock } = await run([{ id: "write", tool: WRITE, ms: 900 }], { deadlineMs: 100 });
  let over = false;
  void drain().then(() => (over = true));
  await clock.advance(700);
  expect(over).toBe(false);
  await clock.advance(200);
  expect(over).toBe(true);
});

test("when the caller goes away reads are stopped, writes finish and nothing more starts", async () => {
  const { byId, actions, endedAt } = await run(
    [
      { id: "read", ms: 900 },
      { id: "write", tool: WRITE, ms: 300 },
      { id: "next", needs: ["write"] },
    ],
    { disconnectAfterMs: 100 },
  );
  expect(codeOf(byId["read"])).toBe("CANCELLED");
  expect(byId["write"]?.status).toBe("success");
  expect(actions.startedAt.has("next")).toBe(false);
  expect(endedAt).toBe(300);
});

test("a step that only comes after another runs even when that one failed", async () => {
  const { byId, actions } = await run([
    { id: "first", fails: SOME_FAILURE, ms: 100 },
    { id: "second", after: ["first"] },
  ]);
  expect(byId["second"]?.status).toBe("success");
  expect(actions.startedAt.get("second")).toBe(100);
});

test("under a cap the step with the longest path behind it goes first, whatever its position", async () => {
  const { actions, endedAt } = await run([
    { id: "a", tool: SERIAL, ms: 100 },
    { id: "b", tool: SERIAL, ms: 100 },
    { id: "head", tool: SERIAL, ms: 100 },
    { id: "middle", needs: ["head"], ms: 100 },
    { id: "tail", needs: ["middle"], ms: 100 },
  ]);
  expect(actions.startedAt.get("head")).toBe(0);
  expect(actions.startedAt.get("a")).toBe(100);
  expect(actions.startedAt.get("b")).toBe(200);
  expect(endedAt).toBe(300);
});

test("fail-fast calls what still waits for its cap skipped, since nothing of it was sent", async () => {
  const { byId } = await run(
    [
      { id: "bad", ms: 10, fails: SOME_FAILURE },
      { id: "running", tool: SERIAL, ms: 100 },
      { id: "queued", tool: SERIAL, ms: 100 },
    ],
    { onError: "fail-fast" },
  );
  expect(byId["running"]).toMatchObject({ status: "error", error: { code: "ABORTED" } });
  expect(byId["queued"]).toMatchObject({ status: "skipped", because: "bad", error: { code: "ABORTED" } });
});

test("a fire-and-forget action that was recorded meets the dependencies on it", async () => {
  const { outcomes } = await run([
    { id: "mail", tool: EMAIL, ms: 5 },
    { id: "after", needs: ["mail"] },
  ]);
  expect(statuses(outcomes)).toEqual(["initiated", "success"]);
});

test("no timer is left behind", async () => {
  const { clock } = await run([{ id: "a", ms: 10 }]);
  expect(clock.pending).toBe(0);
});
