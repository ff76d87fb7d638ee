import { expect, test } from "vitest";

import type { Outcome } from "../../../../src/core/contract/outcome.ts";
import type { Execution } from "../../../../src/core/gate/execution.ts";
import { readKeys } from "../../../../src/core/gate/read-keys.ts";
import type { SeenBatch, Stage } from "../../../../src/core/observe/seen.ts";
import type { Watch } from "../../../../src/core/observe/watch.ts";
import { makePlan } from "../../../../src/core/plan/make-plan.ts";
import { executeKeyed, executePlan } from "../../../../src/core/run/execute/execute-plan.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import { KeyedWorld } from "../../../support/keyed-world.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const WRITES = { isWrite: true, actions: ["create"] };
const KEYED = [
  { tool: "write", idempotency_key: "k-1" },
  { tool: "write", idempotency_key: "k-2" },
];

/** A watch that only notes the stages and the batches. */
function noteStages(): { readonly watch: Watch; readonly stages: Stage[]; readonly batches: SeenBatch[] } {
  const [stages, batches]: [Stage[], SeenBatch[]] = [[], []];
  const watch = {
    enter: (stage: Stage) => void stages.push(stage),
    listeners: [],
    sawBatch: (batch: SeenBatch) => void batches.push(batch),
  };
  return { watch: watch as unknown as Watch, stages, batches };
}

function begin(actions: readonly object[], overrides: Partial<Execution> = {}) {
  const world = new KeyedWorld();
  const slow = { run: () => world.clock.sleep(100).then(() => "done") };
  const tools = [world.tool("read", slow), world.tool("write", { ...WRITES, ...slow })];
  const execution = world.execution(tools, overrides);
  const plan = valueOf(makePlan(valueOf(parseBatch({ actions }, 100)), execution.catalog));
  const keysOf = (of: typeof plan) => readKeys(of, { ...execution, batchKey: undefined });
  return { world, execution, plan, keysOf };
}

const statusesOf = (outcomes: readonly Outcome[]): readonly string[] => outcomes.map(({ status }) => status);

test("executePlan() tells a plan without keys by its outcomes, and that nothing was begun under a key", async () => {
  const { watch, stages } = noteStages();
  const { world, execution, plan } = begin([{ tool: "read" }, { tool: "read", args: { n: 1 } }], { watch });
  const ran = valueOf(await world.clock.runUntil(executePlan(plan, execution)));
  expect(statusesOf(ran.outcomes)).toEqual(["success", "success"]);
  expect(ran).toMatchObject({ begun: [], durationMs: 100, maxParallelism: 2, quota: { remaining: 99 } });
  expect(stages).toEqual(["admit", "run", "write"]);
  expect(world.gate.closings).toEqual([]);
});

test("executePlan() refuses what the gate refuses, before anything ran", async () => {
  const { world, execution, plan } = begin([{ tool: "read" }]);
  world.gate.quotaAllowed = false;
  const refused = errorOf(await world.clock.runUntil(executePlan(plan, execution)));
  expect(refused.refusal.code).toBe("QUOTA_EXCEEDED");
  expect(world.calls).toEqual([]);
});

test("executePlan() keeps the outcomes of its keys before it tells them, and says which did something first now", async () => {
  const { world, execution, plan, keysOf } = begin([...KEYED, { tool: "read" }]);
  const first = valueOf(await world.clock.runUntil(executePlan(plan, execution, keysOf)));
  expect(statusesOf(first.outcomes)).toEqual(["success", "success", "success"]);
  expect(first.begun).toEqual([0, 1]);
  expect(world.ends).toEqual(["action:k-1 done", "action:k-2 done"]);
  expect(world.deferred.length).toBeGreaterThan(0);

  const calls = world.calls.length;
  const again = valueOf(await world.clock.runUntil(executePlan(plan, execution, keysOf)));
  expect(statusesOf(again.outcomes)).toEqual(["success", "success", "success"]);
  expect(again.begun).toEqual([]);
  // Only the read is made again.
  expect(world.calls).toHaveLength(calls + 1);
});

test("executePlan() outlives its answer's caller where a key says what was done", async () => {
  const { world, execution, plan, keysOf } = begin([{ tool: "read", idempotency_key: "k-1" }]);
  await world.clock.runUntil(executePlan(plan, execution, keysOf));
  expect(world.deferred).toHaveLength(1);
  const plain = begin([{ tool: "read" }]);
  await plain.world.clock.runUntil(executePlan(plain.plan, plain.execution));
  expect(plain.world.deferred).toEqual([]);
});

test("executePlan() tells what was done although it cannot be kept", async () => {
  const { world, execution, plan, keysOf } = begin(KEYED);
  world.gate.complete = () => Promise.reject(new Error("The gate is down"));
  const ran = valueOf(await world.clock.runUntil(executePlan(plan, execution, keysOf)));
  expect(statusesOf(ran.outcomes)).toEqual(["success", "success"]);
});

test("executePlan() renews the lease of its keys while it runs", async () => {
  const { world, execution, plan, keysOf } = begin(KEYED);
  const running = executePlan({ ...plan, deadlineMs: 60_000 }, execution, keysOf);
  world.gate.beforeAnswer = () => Promise.resolve();
  await world.clock.runUntil(running);
  expect(world.gate.renewals).toEqual([]);

  const long = begin(KEYED);
  const slow = long.world.tool("write", {
    ...WRITES,
    timeoutMs: 60_000,
    run: () => long.world.clock.sleep(50_000).then(() => "done"),
  });
  const again = long.world.execution([slow]);
  const made = makePlan(valueOf(parseBatch({ actions: KEYED, deadline_ms: 60_000 }, 100)), again.catalog);
  await long.world.clock.runUntil(executePlan(valueOf(made), again, long.keysOf));
  expect(long.world.gate.renewals.length).toBeGreaterThan(0);
});

test("executePlan() stops a write under a key when its caller goes away: the key says how far it came", async () => {
  const { world, execution, plan, keysOf } = begin([{ tool: "write", idempotency_key: "k-1" }]);
  world.clock.after(50, () => world.gone.abort());
  const ran = valueOf(await world.clock.runUntil(executePlan(plan, execution, keysOf)));
  expect(ran.outcomes[0]).toMatchObject({ status: "error", error: { code: "CANCELLED" } });
});

test("executeKeyed() answers in another dialect's words, with the time that the plan took", async () => {
  const { watch, stages } = noteStages();
  const batchKey = { key: "b-1", content: { a: 1 } };
  const { world, execution, plan } = begin([{ tool: "write" }], { batchKey, watch });
  const write = (outcomes: readonly Outcome[], durationMs: number) =>
    JSON.stringify([statusesOf(outcomes), durationMs]);
  const answer = valueOf(await world.clock.runUntil(executeKeyed(plan, execution, write)));
  expect(answer).toMatchObject({ json: '[["success"],100]', replayed: false, quota: { remaining: 99 } });
  expect(stages).toEqual(["admit", "run", "write"]);
  expect(world.ends).toEqual(["batch:b-1 done"]);

  const again = valueOf(await world.clock.runUntil(executeKeyed(plan, execution, () => "another")));
  expect(again).toEqual({ json: '[["success"],100]', quota: null, replayed: true });
  expect(world.calls).toHaveLength(1);
});
