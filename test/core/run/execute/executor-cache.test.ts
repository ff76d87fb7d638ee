import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import { type Batch, parseBatch } from "../../../../src/core/contract/batch.ts";
import { execute } from "../../../../src/core/run/execute/executor.ts";
import { executePlan } from "../../../../src/core/run/execute/execute-plan.ts";
import { makePlan } from "../../../../src/core/plan/make-plan.ts";
import { toRunnable } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { TestWorld, type WireEnvelope, type WireResult } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

/** A service that holds one number, and its tools: reads say the number, writes raise it and say what it became. */
class Store {
  readonly world = new TestWorld();
  /** Names of the tools that called it, in order. */
  readonly calls: string[] = [];
  value = 0;

  constructor() {
    this.world.fetch = async (url, { method }) => {
      const { pathname, searchParams } = new URL(url);
      this.calls.push(pathname.slice(1));
      const ms = Number(searchParams.get("ms"));
      await this.world.clock.sleep(ms / 2);
      if (searchParams.has("fail")) return new Response(null, { status: 404 });
      if (method === "POST") this.value += 1;
      const { value } = this;
      await this.world.clock.sleep(ms / 2);
      return Response.json({ value, list: ["a", "b", "c"], text: "x".repeat(2_000) });
    };
  }

  tool(name: string, declaration: Partial<ToolDeclaration> = {}): Tool {
    const isWrite = declaration.isWrite ?? false;
    return contractOf(name, {
      domain: "store",
      isWrite,
      hosts: ["store.example"],
      orchestration: { mode: "parallel-safe", ...(!isWrite && { cache_ttl_s: 60 }) },
      run: async (args, ctx) => {
        const { ms = 100, fail } = args as { ms?: number; fail?: boolean };
        const url = `https://store.example/${name}?ms=${ms}${fail === true ? "&fail" : ""}`;
        return (await ctx.fetch(url, { method: isWrite ? "POST" : "GET" })).json();
      },
      ...declaration,
    });
  }

  readonly tools = [this.tool("look"), this.tool("put", { isWrite: true })];

  run(actions: readonly object[], fields: object = {}): Promise<WireEnvelope> {
    return this.world.run(this.tools, { actions, ...fields });
  }
}

const LOOK = { tool: "look", args: { n: 1 } };
const PUT = { tool: "put", args: { n: 1 } };
const valueOf = ({ data }: WireResult) => (data as { value: number }).value;
const cachedOf = (results: readonly WireResult[]) =>
  results.map(({ meta }) => (meta as { cached?: boolean }).cached ?? false);

function batchOf(actions: readonly object[]): Batch {
  const batch = parseBatch({ actions }, 1_000);
  if (!batch.ok) throw new Error(batch.error.hint);
  return batch.value;
}

describe("A remembered read", () => {
  test("calls nothing, takes no time, and says how old it is", async () => {
    const store = new Store();
    const first = await store.run([LOOK]);
    expect(cachedOf(first.results)).toEqual([false]);
    await store.world.clock.advance(1_000);
    const second = await store.run([LOOK]);

    expect(store.calls).toEqual(["look"]);
    expect(second.results[0]!.data).toEqual(first.results[0]!.data);
    expect(second.results[0]!.meta).toEqual({
      duration_ms: 0,
      queued_ms: 0,
      attempts: 0,
      bytes: first.results[0]!.meta.bytes,
      cached: true,
      age_ms: 1_100,
    });
    expect(second.stats).toMatchObject({ duration_ms: 0, sequential_ms: 0, max_parallelism: 0 });
  });

  test("is read again when its time is over", async () => {
    const store = new Store();
    await store.run([LOOK]);
    store.value = 5;
    await store.world.clock.advance(59_899);
    expect(valueOf((await store.run([LOOK])).results[0]!)).toBe(0);
    await store.world.clock.advance(1);
    expect(valueOf((await store.run([LOOK])).results[0]!)).toBe(5);
  });

  test("works with select, references, loops and max_tokens as any other", async () => {
    const store = new Store();
    await store.run([LOOK, { tool: "look", args: { n: "b" } }]);
    const { results } = await store.run([
      { id: "some", ...LOOK, select: ["/value", "/none"] },
      { id: "whole", ...LOOK },
      {
        id: "loop",
        tool: "look",
        for_each: { $ref: "some#/list" },
        args: { n: { $ref: "item#" } },
        select: ["/value"],
      },
    ]);
    expect(results[0]).toMatchObject({
      data: { value: 0 },
      meta: { cached: true, select_missing: ["/none"] },
    });
    expect(results[1]!.data).toMatchObject({ list: ["a", "b", "c"] });
    expect(results[2]).toMatchObject({ status: "success", meta: { attempts: 2, items: { ok: 3 } } });
    expect(store.calls).toHaveLength(4);

    const cut = await store.run([LOOK], { max_tokens: 50 });
    expect(cut.results[0]!.meta).toMatchObject({ cached: true, truncated: {}, handle: expect.any(String) });
    expect(valueOf((await store.run([LOOK])).results[0]!)).toBe(0);
  });

  test("does not answer what the caller ordered after a write of another domain, nor a flow that was", async () => {
    const store = new Store();
    const looking = { batch: batchOf([LOOK]), answer: undefined, tools: ["*"] };
    const flow: Tool = { ...contractOf("looking"), inner: toRunnable(looking) };
    const tools = [...store.tools, store.tool("post", { isWrite: true, domain: "elsewhere" }), flow];
    const run = (actions: readonly object[]) => store.world.run(tools, { actions });
    await run([LOOK]);
    const after = { depends_on: ["post"] };
    const loop = { tool: "look", for_each: [1], args: { n: { $ref: "item#" } } };
    const { results } = await run([
      { id: "post", tool: "post", args: { n: 1 } },
      { ...LOOK, ...after },
      { ...loop, ...after },
      { tool: "looking", ...after },
      { tool: "looking" },
      LOOK,
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill("success"));
    expect(store.calls).toEqual(["look", "post", "look", "look", "look"]);
    expect(cachedOf(results)).toEqual([false, false, false, false, false, true]);
  });

  test("cannot be changed by what a batch does with it", async () => {
    const store = new Store();
    const spoil = contractOf("spoil", {
      run: (args) => {
        (args as { data: { list: string[] } }).data.list.push("spoilt");
        return Promise.resolve("done");
      },
    });
    const tools = [...store.tools, spoil];
    const actions = [
      { id: "it", ...LOOK },
      { tool: "spoil", args: { data: { $ref: "it#" } } },
    ];
    await store.world.run(tools, { actions });
    await store.world.run(tools, { actions });
    const { results } = await store.world.run(tools, { actions: [LOOK] });
    expect(results[0]!.data).toMatchObject({ list: ["a", "b", "c"] });
  });

  test("waits for no cap, no permit and no header slot", async () => {
    const store = new Store();
    const orchestration = {
      mode: "sequential-only",
      cache_ttl_s: 60,
      global_concurrency: 1,
    } as const;
    const tools = [store.tool("look", { orchestration })];
    const actions = [LOOK, { tool: "look", args: { n: 2, ms: 500 } }];
    await store.world.run(tools, { actions: [LOOK] });
    const asked = store.world.toolGates.asked.length;
    const { results, stats } = await store.world.run(tools, { actions: [actions[1], actions[0]] });
    expect(store.world.toolGates.asked).toHaveLength(asked + 1);
    expect(results[1]!.meta).toMatchObject({ cached: true, queued_ms: 0, duration_ms: 0 });
    expect(stats).toMatchObject({ duration_ms: 500, max_parallelism: 1 });
  });

  test("counts for the caller's quota and its tool's rate limit, which are drawn before anything runs", async () => {
    const store = new Store();
    const rate_limit = { limit: 5, window_s: 10, scope: "tenant" } as const;
    const tools = [
      store.tool("look", { orchestration: { mode: "parallel-safe", cache_ttl_s: 60, rate_limit } }),
    ];
    for (const _ of [1, 2]) await store.world.run(tools, { actions: [LOOK] });
    expect(store.calls).toHaveLength(1);
    for (const { quota, draws } of store.world.gate.requests) {
      expect(quota).not.toBeNull();
      expect(draws).toHaveLength(1);
    }
    expect(store.world.gate.requests).toHaveLength(2);
  });

  test("is what each of several identical ones is; those of a call under way share it", async () => {
    const store = new Store();
    const first = await store.run([LOOK, LOOK]);
    expect(first.results.map(({ meta }) => meta)).toMatchObject([{ attempts: 1 }, { deduplicated_of: "a0" }]);
    const second = await store.run([LOOK, { ...LOOK, timeout_ms: 500 }]);
    expect(cachedOf(second.results)).toEqual([true, true]);
    expect(store.calls).toHaveLength(1);
  });

  test("is a success: a failure is asked again", async () => {
    const store = new Store();
    const bad = { tool: "look", args: { fail: true } };
    await store.run([bad]);
    const { results } = await store.run([bad]);
    expect(results[0]!.error).toMatchObject({ code: "NOT_FOUND" });
    expect(store.calls).toHaveLength(2);
  });

  test("is remembered without the secrets that were found in it", async () => {
    const store = new Store();
    store.world.secrets.set("STORE_KEY", "very-secret-value");
    const tools = [
      store.tool("look", { secrets: ["STORE_KEY"], run: () => Promise.resolve("it is very-secret-value") }),
    ];
    for (const _ of [1, 2]) {
      const { results } = await store.world.run(tools, { actions: [LOOK] });
      expect(JSON.stringify(results)).not.toContain("very-secret-value");
    }
  });

  test("is none of the Orchestration API's, where each call was asked for on its own account", async () => {
    const store = new Store();
    await store.run([LOOK]);
    const execution = store.world.execution(store.tools);
    const plan = makePlan(batchOf([LOOK]), execution.catalog);
    if (!plan.ok) throw new Error(plan.error.hint);
    const ran = await store.world.clock.runUntil(
      executePlan({ ...plan.value, sharesReads: false }, execution),
    );
    expect(ran).toMatchObject({ ok: true, value: { outcomes: [{ status: "success" }] } });
    expect(store.calls).toHaveLength(2);
  });
});

describe("A write of the domain", () => {
  test("makes the next batch read again, and what comes after it in its own", async () => {
    const store = new Store();
    await store.run([LOOK]);
    const { results } = await store.run([{ id: "before", ...LOOK }, PUT, { id: "after", ...LOOK }]);
    expect(cachedOf(results)).toEqual([true, false, false]);
    expect([valueOf(results[0]!), valueOf(results[2]!)]).toEqual([0, 1]);
    expect(cachedOf((await store.run([LOOK])).results)).toEqual([true]);
    expect(valueOf((await store.run([LOOK])).results[0]!)).toBe(1);
  });

  test("clears when a background job of it is attempted here", async () => {
    const store = new Store();
    const tools = [...store.tools, store.tool("later", { isWrite: true, execution: "fire-and-forget" })];
    await store.world.run(tools, { actions: [LOOK] });
    await store.world.run(tools, { actions: [{ tool: "later" }] });
    await store.world.drain();
    const { results } = await store.world.run(tools, { actions: [LOOK] });
    expect(cachedOf(results)).toEqual([false]);
    expect(valueOf(results[0]!)).toBe(1);
  });

  test("by a key that may not read clears what another key of the tenant has read", async () => {
    const store = new Store();
    await store.run([LOOK]);
    const { catalog } = store.world.execution(store.tools);
    await store.world.run(store.tools, { actions: [PUT] }, { catalog: catalog.restrictTo(["put"]) });
    expect(cachedOf((await store.run([LOOK])).results)).toEqual([false]);
  });

  test("that goes on after its batch's deadline keeps answers from being remembered until it has ended", async () => {
    const store = new Store();
    await store.run([{ tool: "put", args: { ms: 5_000 } }], { deadline_ms: 100 });
    const during = await store.run([LOOK]);
    expect(valueOf(during.results[0]!)).toBe(0);
    expect(cachedOf((await store.run([LOOK])).results)).toEqual([false]);
    await store.world.drain();
    for (const cached of [false, true]) {
      const { results } = await store.run([LOOK]);
      expect([valueOf(results[0]!), ...cachedOf(results)]).toEqual([1, cached]);
    }
  });
});

trial(
  "whatever batches run one after the other, every answer is what the store holds at its place",
  async () => {
    const action = fc.record({
      kind: fc.constantFrom("look", "look", "look", "put"),
      n: fc.nat(1),
      loop: fc.boolean(),
    });
    const batches = fc.array(fc.array(action, { minLength: 1, maxLength: 6 }), {
      minLength: 2,
      maxLength: 6,
    });
    let cached = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (sketches) => {
        const store = new Store();
        let value = 0;
        for (const sketch of sketches) {
          const { results } = await store.run(
            sketch.map(({ kind, n, loop }) => ({
              tool: kind,
              ...(loop ? { for_each: [n, 0], args: { n: { $ref: "item#" } } } : { args: { n } }),
            })),
          );
          for (const [at, { kind, loop }] of sketch.entries()) {
            const values = loop ? (results[at]!.data as WireResult[]).map(valueOf) : [valueOf(results[at]!)];
            const expected = values.map(() => (kind === "put" ? (value += 1) : value));
            expect(values).toEqual(expected);
          }
          cached += cachedOf(results).filter(Boolean).length;
        }
      }),
      { numRuns: samples(100) },
    );
    expect(cached).toBeGreaterThan(samples(20));
  },
);

trial(
  "whatever batches overlap, no read misses a write that ended before its batch began, or comes before it there",
  async () => {
    const action = fc.record({
      kind: fc.constantFrom("look", "look", "put"),
      n: fc.nat(1),
      ms: fc.constantFrom(20, 100, 300),
    });
    const batch = fc.record({
      startsMs: fc.integer({ min: 0, max: 1_500 }),
      actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 8 }), async (sketches) => {
        const store = new Store();
        const { clock } = store.world;
        let ended = 0;
        const runs = sketches.map(async ({ startsMs, actions }) => {
          await clock.sleep(startsMs);
          const before = ended;
          const asked = batchOf(actions.map(({ kind, n, ms }) => ({ tool: kind, args: { n, ms } })));
          const answer = await execute(asked, store.world.execution(store.tools));
          if (!answer.ok) throw new Error(answer.error.refusal.hint);
          const { results } = JSON.parse(answer.value.json) as WireEnvelope;
          let least = before;
          for (const [at, { kind }] of actions.entries()) {
            const value = valueOf(results[at]!);
            expect(value).toBeGreaterThanOrEqual(least);
            if (kind === "put") least = value;
          }
          ended = Math.max(ended, least);
        });
        await clock.runUntil(Promise.all(runs));
      }),
      { numRuns: samples(200) },
    );
  },
);
