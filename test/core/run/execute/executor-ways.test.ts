import { describe, expect, test } from "vitest";

import { makeRefusal } from "../../../../src/core/contract/refusal.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import type { Execution } from "../../../../src/core/gate/execution.ts";
import { err, ok } from "../../../../src/core/kit/result.ts";
import type { SeenBatch, Stage } from "../../../../src/core/observe/seen.ts";
import type { Watch } from "../../../../src/core/observe/watch.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import { makePlan } from "../../../../src/core/plan/make-plan.ts";
import { answerPlan, withCurrentTools } from "../../../../src/core/run/execute/executor.ts";
import { holdToReceipt } from "../../../../src/core/run/execute/show-plan.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { KeyedWorld } from "../../../support/keyed-world.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

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

const BODY = { actions: [{ tool: "read" }] };
const readOf = (world: KeyedWorld) =>
  world.tool("read", { run: () => world.clock.sleep(30).then(() => "x") });
const planOf = (execution: Execution, body: object = BODY) =>
  valueOf(makePlan(valueOf(parseBatch(body, 100)), execution.catalog));

describe("withCurrentTools()", () => {
  const [before, after] = [createCatalog([]), createCatalog([contractOf("new")])];
  const stale = err({ refusal: makeRefusal("UNAVAILABLE", "Later."), quota: null, stale: true as const });
  const refused = err({ refusal: makeRefusal("UNAVAILABLE", "Never."), quota: null });

  test("does it once where the gate does not say that the tools have changed", async () => {
    for (const answer of [ok("done"), refused]) {
      const seen: unknown[] = [];
      const currentCatalog = () => Promise.reject(new Error("It was asked"));
      const told = await withCurrentTools({ catalog: before, currentCatalog }, async ({ catalog }) => {
        seen.push(catalog);
        return answer;
      });
      expect(told).toBe(answer);
      expect(seen).toEqual([before]);
    }
  });

  test("does it again with the tools as they are by then", async () => {
    const seen: unknown[] = [];
    const execution = { catalog: before, currentCatalog: async () => after, mark: 1 };
    const told = await withCurrentTools(execution, async (current) => {
      seen.push([current.catalog, current.mark]);
      return current.catalog === after ? ok("done") : stale;
    });
    expect(valueOf(told)).toBe("done");
    expect(seen).toEqual([
      [before, 1],
      [after, 1],
    ]);
  });

  test("gives up after a few times, and at once where the tools cannot be read", async () => {
    let times = 0;
    const run = async () => {
      times += 1;
      return stale;
    };
    expect(await withCurrentTools({ catalog: before, currentCatalog: async () => after }, run)).toBe(stale);
    expect(times).toBe(1 + LIMITS.replans);
    times = 0;
    const currentCatalog = () => Promise.reject(new Error("The object is down"));
    expect(await withCurrentTools({ catalog: before, currentCatalog }, run)).toBe(stale);
    expect(times).toBe(1);
  });
});

describe("a batch under a key", () => {
  const batchKey = { key: "b-1", content: BODY };
  const answerOf = async (world: KeyedWorld, overrides: Partial<Execution> = {}) =>
    world.execute([readOf(world)], BODY, { batchKey, ...overrides });

  test("runs once: the same key has the same answer, which says so and draws nothing", async () => {
    const world = new KeyedWorld();
    const { watch, batches } = noteStages();
    const first = valueOf(await answerOf(world, { watch }));
    expect(first).toMatchObject({ replayed: false, quota: { remaining: 99 } });
    const again = valueOf(await answerOf(world, { watch }));
    expect(again).toEqual({ json: first.json, quota: null, replayed: true });
    expect(world.calls).toHaveLength(1);
    expect(batches.map(({ kind, outcomes, batchId }) => [kind, outcomes.length, batchId === null])).toEqual([
      ["run", 1, false],
      ["replay", 0, true],
    ]);
  });

  test("has no answer for a key that could call other tools", async () => {
    const world = new KeyedWorld();
    await answerOf(world);
    const { caller } = world.execution([]);
    const asked = world.execute([contractOf("other"), contractOf("read")], BODY, {
      batchKey,
      caller: { ...caller, tools: ["other"] },
      catalog: createCatalog([contractOf("other")]),
    });
    expect(errorOf(await asked)).toMatchObject({ refusal: { code: "IDEMPOTENCY_CONFLICT" }, quota: null });
  });

  test("keeps what it is about, and is answered although nothing can be kept", async () => {
    const world = new KeyedWorld();
    const { json } = valueOf(await answerOf(world));
    const [closing] = world.gate.closings;
    expect(closing!.ends).toMatchObject([{ key: "batch:b-1", end: { kind: "done" } }]);
    expect(JSON.stringify(closing)).toContain(JSON.stringify(json).slice(1, -1));
    expect(JSON.stringify(closing)).toContain('"read"');

    const other = new KeyedWorld();
    other.gate.complete = () => Promise.reject(new Error("The gate is down"));
    expect(valueOf(await answerOf(other)).replayed).toBe(false);
  });

  test("outlives its caller, who comes back for it; a batch without one does not", async () => {
    const [keyed, plain] = [new KeyedWorld(), new KeyedWorld()];
    await answerOf(keyed);
    await plain.execute([readOf(plain)], BODY);
    expect([keyed.deferred.length, plain.deferred.length]).toEqual([1, 0]);
  });

  test("renews its lease while it runs", async () => {
    const world = new KeyedWorld();
    const slow = world.tool("read", {
      timeoutMs: 60_000,
      run: () => world.clock.sleep(50_000).then(() => 1),
    });
    const body = { actions: [{ tool: "read", timeout_ms: 60_000 }], deadline_ms: 60_000 };
    await world.execute([slow], body, { batchKey });
    expect(world.gate.renewals.length).toBeGreaterThan(0);
    const runIds = new Set(world.gate.renewals.map(({ runId }) => runId));
    expect([...runIds]).toEqual([world.gate.closings[0]!.runId]);
  });
});

test("an action's own key is claimed although the batch has none", async () => {
  const world = new KeyedWorld();
  const body = {
    actions: [
      { tool: "read", idempotency_key: "k-1" },
      { tool: "read", args: { n: 1 } },
    ],
  };
  const first = valueOf(await world.execute([readOf(world)], body));
  expect(first.replayed).toBe(false);
  expect(world.ends).toEqual(["action:k-1 done"]);
  await world.execute([readOf(world)], body);
  expect(world.calls).toHaveLength(3);
  expect(world.gate.requests.map(({ idempotency }) => idempotency?.actions.length)).toEqual([1, 1]);
});

test("nothing is claimed where nothing has a key", async () => {
  const world = new KeyedWorld();
  await world.execute([readOf(world)], BODY);
  expect(world.gate.requests.map(({ idempotency }) => idempotency ?? null)).toEqual([null]);
});

describe("answerPlan()", () => {
  test("keeps the answer for whoever asks later, and is answered although that fails", async () => {
    const world = new KeyedWorld();
    const execution = world.execution([readOf(world)]);
    const kept: string[] = [];
    const keep = async (json: string) => void kept.push(json);
    const { json } = valueOf(await world.clock.runUntil(answerPlan(planOf(execution), execution, { keep })));
    expect(kept).toEqual([json]);
    expect(world.deferred).toHaveLength(1);

    const fails = () => Promise.reject(new Error("There is no room"));
    const answer = await world.clock.runUntil(answerPlan(planOf(execution), execution, { keep: fails }));
    expect(valueOf(answer).replayed).toBe(false);
  });

  test("writes the answer in the words that it is given", async () => {
    const world = new KeyedWorld();
    const execution = world.execution([readOf(world)]);
    const answering = answerPlan(planOf(execution), execution, {
      toJson: ({ steps }, outcomes, { durationMs }) =>
        JSON.stringify([steps[0]!.id, outcomes[0]!.status, durationMs]),
    });
    expect(valueOf(await world.clock.runUntil(answering)).json).toBe('["a0","success",30]');
  });

  test("gives back the bytes that it holds when it is written, or has its listener do so", async () => {
    const world = new KeyedWorld();
    const shared = new IsolateBytes(world.clock);
    world.fetch = async () => Response.json("x".repeat(300_000));
    const reads = contractOf("read", {
      hosts: ["up.example.com"],
      run: async (_, ctx) => (await ctx.fetch("https://up.example.com/")).json(),
    });
    const answer = async (overrides: Partial<Execution> = {}) => {
      const execution = world.execution([reads], overrides);
      const upstreams = { ...execution.upstreams, share: () => shared.open("acme", world.clock) };
      await world.clock.runUntil(answerPlan(planOf(execution), { ...execution, upstreams }));
    };
    await answer();
    expect(shared.held).toBe(0);
    let release = (): void => {};
    await answer({ listener: { onWritten: (give) => void (release = give) } });
    expect(shared.held).toBeGreaterThan(250_000);
    release();
    expect(shared.held).toBe(0);
  });
});

describe("the operator hears", () => {
  test("the stages of a batch, in their order", async () => {
    const { watch, stages, batches } = noteStages();
    const world = new KeyedWorld();
    const within = { runOf: { tool: "my_flow" } } as never;
    await world.execute([readOf(world)], BODY, { watch, within });
    expect(stages).toEqual(["plan", "admit", "run", "write"]);
    expect(batches).toMatchObject([{ kind: "run", tool: "my_flow", degraded: false }]);
  });

  test("of a plan that is only shown: its steps, and that nothing ran", async () => {
    const { watch, stages, batches } = noteStages();
    const world = new KeyedWorld();
    const within = { runOf: { tool: "my_flow" } } as never;
    const answer = valueOf(
      await world.execute([readOf(world)], { ...BODY, dry_run: true }, { watch, within }),
    );
    expect(answer).toMatchObject({ replayed: false, quota: { remaining: 499 } });
    expect(JSON.parse(answer.json)).toMatchObject({ dry_run: true });
    expect(stages).toEqual(["plan", "admit"]);
    const [{ isTool, plan, origin, ...batch }] = batches as [SeenBatch];
    expect(batch).toEqual({
      kind: "dry_run",
      outcomes: [],
      batchId: null,
      durationMs: 0,
      maxParallelism: 0,
      degraded: false,
      tool: "my_flow",
    });
    expect([plan.steps.length, origin.tenant, isTool("read"), isTool("raed")]).toEqual([
      1,
      "acme",
      true,
      false,
    ]);
    expect(world.calls).toEqual([]);
  });

  test("of no flow, where a plan is part of something else", async () => {
    const { watch, batches } = noteStages();
    const world = new KeyedWorld();
    const within = { isCounted: true } as never;
    await world.execute([readOf(world)], { ...BODY, dry_run: true }, { watch, within });
    expect(batches).toMatchObject([{ kind: "dry_run", tool: undefined }]);
  });

  test("nothing of a plan that was refused", async () => {
    const { watch, batches } = noteStages();
    const world = new KeyedWorld();
    world.gate.quotaAllowed = false;
    const refused = await world.execute([readOf(world)], { ...BODY, dry_run: true }, { watch });
    expect(errorOf(refused).refusal.code).toBe("QUOTA_EXCEEDED");
    expect(batches).toEqual([]);
  });
});

describe("holdToReceipt()", () => {
  test.each([
    ["without a key", {}, {}, false],
    ["under a key", {}, { batchKey: { key: "k", digest: "d", fingerprint: "f" } }, true],
    ["under a key of an action", { idempotency_key: "k" }, {}, true],
  ])(
    "says of a plan whose accounts cannot be looked up whether it may have begun: %s",
    async (_, own, key, began) => {
      const world = new KeyedWorld();
      const hooks = { accountIds: () => Promise.reject(new Error("Out of reach")) };
      const execution = { ...world.execution([readOf(world)]), ...key, hooks } as unknown as Execution;
      const batch = valueOf(
        parseBatch(
          { actions: [{ tool: "read", ...own }], plan_receipt: `${"0".repeat(64)}.`.repeat(3).slice(0, -1) },
          100,
        ),
      );
      const refused = errorOf(
        await holdToReceipt(batch, valueOf(makePlan(batch, execution.catalog)), execution),
      );
      expect([refused.refusal.code, refused.mayHaveBegun]).toEqual(["UNAVAILABLE", began]);
    },
  );
});
