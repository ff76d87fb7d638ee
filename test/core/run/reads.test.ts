import fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { TestWorld, type WireResult } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

/** A tool that takes `ms`, answers with what it was given, and keeps a record of its calls. */
function counted(world: TestWorld, name: string, declaration: Partial<ToolDeclaration> = {}) {
  const calls: unknown[] = [];
  const tool = contractOf(name, {
    input: z.strictObject({
      n: z.unknown().optional(),
      limit: z.int().default(10),
      fail: z.boolean().optional(),
    }),
    run: async (args, { signal }) => {
      calls.push(args);
      const { n, fail } = args as { n: unknown; fail?: boolean };
      await world.clock.sleep(100);
      if (signal.aborted) throw signal.reason;
      if (fail === true) throw new ToolFailure("NOT_FOUND");
      return { n };
    },
    ...declaration,
  });
  return { tool, calls };
}

const twinsOf = (results: readonly WireResult[]) =>
  results.map(({ meta }) => (meta as { deduplicated_of?: string }).deduplicated_of);

describe("Identical reads of one batch", () => {
  test("are one call; the others have its outcome and say whose it is", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look");
    const { results, stats } = await world.run([tool], {
      actions: [
        { id: "one", tool: "look", args: { n: { a: 1, b: 2 } } },
        { id: "two", tool: "look", args: { limit: 10, n: { b: 2, a: 1 } } },
        { id: "other", tool: "look", args: { n: 3 } },
        { id: "three", tool: "look", args: { n: { a: 1, b: 2 } } },
      ],
    });

    expect(calls).toHaveLength(2);
    expect(results.map(({ data }) => data)).toEqual([
      { n: { a: 1, b: 2 } },
      { n: { a: 1, b: 2 } },
      { n: 3 },
      { n: { a: 1, b: 2 } },
    ]);
    expect(twinsOf(results)).toEqual([undefined, "one", undefined, "one"]);
    expect(results[1]!.meta).toEqual({
      started_ms: 0,
      duration_ms: 100,
      queued_ms: 0,
      attempts: 0,
      bytes: results[0]!.meta.bytes,
      deduplicated_of: "one",
    });
    // Two calls at once: what was shared is neither work nor parallelism.
    expect(stats).toMatchObject({
      duration_ms: 100,
      sequential_ms: 200,
      max_parallelism: 2,
      critical_path_ms: 100,
    });
  });

  test("share no failure: each of the others is then made for itself, with the rest of its time", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look", {
      run: async (args) => {
        calls.push(args);
        const isFirst = calls.length === 1;
        await world.clock.sleep(100);
        if (isFirst) throw new ToolFailure("NOT_FOUND");
        return { n: 1 };
      },
    });
    const twin = { tool: "look", args: { n: 1 } };
    const { results, stats } = await world.run([tool], { actions: [twin, twin, twin] });

    expect(calls).toHaveLength(3);
    expect(results.map(({ status }) => status)).toEqual(["error", "success", "success"]);
    expect(twinsOf(results)).toEqual([undefined, undefined, undefined]);
    expect(results[2]!.meta).toMatchObject({
      started_ms: 100,
      queued_ms: 100,
      duration_ms: 100,
      attempts: 1,
    });
    expect(stats).toMatchObject({ duration_ms: 200 });
  });

  test("do not learn later of one that failed", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look");
    const failing = { tool: "look", args: { n: 1, fail: true } };
    const { results } = await world.run([tool], {
      actions: [
        failing,
        { id: "slow", tool: "look", args: { n: true } },
        { tool: "look", args: { n: 1, fail: { $ref: "slow#/n" } } },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(["error", "success", "error"]);
    expect(calls).toHaveLength(3);
  });

  test("of which one failed keep to their tool's cap and rate limit", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look", {
      orchestration: {
        mode: "sequential-only",
        rate_limit: { limit: 5, window_s: 10, scope: "tenant" },
      },
    });
    const twin = { tool: "look", args: { n: 1, fail: true } };
    const { stats } = await world.run([tool], { actions: [twin, twin, twin] });
    expect(calls).toHaveLength(3);
    expect(stats).toMatchObject({ duration_ms: 300, max_parallelism: 1 });
    expect(world.gate.requests.map(({ draws }) => draws.length)).toEqual([1, 1, 1]);

    calls.length = 0;
    world.gate.denied = [];
    const denied = world.run([tool], { actions: [twin, twin] });
    await world.clock.sleep(50);
    world.gate.denied = [{ index: 0, retryAfterMs: 500 }];
    const { results } = await denied;
    expect(results.map(({ error }) => error?.code)).toEqual(["NOT_FOUND", "RATE_LIMITED"]);
    expect(calls).toHaveLength(1);
  });

  test("that were asked for at different times each say when their own wait began", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look");
    const wait = contractOf("wait", {
      run: async (args) => {
        await world.clock.sleep((args as { ms: number }).ms);
        return { n: 1 };
      },
    });
    const { results } = await world.run([tool, wait], {
      actions: [
        { tool: "look", args: { n: 1 } },
        { id: "short", tool: "wait", args: { ms: 60 } },
        { id: "long", tool: "wait", args: { ms: 250 } },
        { tool: "look", args: { n: { $ref: "short#/n" } } },
        { tool: "look", args: { n: { $ref: "long#/n" } } },
      ],
    });
    expect(calls).toHaveLength(1);
    expect([results[3]!.meta, results[4]!.meta]).toMatchObject([
      { started_ms: 60, duration_ms: 40, queued_ms: 0, deduplicated_of: "a0" },
      { started_ms: 250, duration_ms: 0, queued_ms: 0, deduplicated_of: "a0" },
    ]);
  });

  test("share one that is over already, and arguments that came by reference", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look");
    const { results } = await world.run([tool], {
      actions: [
        { id: "first", tool: "look", args: { n: 7 } },
        { id: "later", tool: "look", args: { n: { $ref: "first#/n" } } },
      ],
    });
    expect(calls).toHaveLength(1);
    expect(results[1]).toMatchObject({ data: { n: 7 }, meta: { duration_ms: 0, deduplicated_of: "first" } });
  });

  test("each keep what they selected", async () => {
    const world = new TestWorld();
    const { tool } = counted(world, "look");
    const { results } = await world.run([tool], {
      actions: [
        { tool: "look", args: { n: { a: 1, b: 2 } }, select: ["/n/a"] },
        { tool: "look", args: { n: { a: 1, b: 2 } }, select: ["/n/b", "/none"] },
        { tool: "look", args: { n: { a: 1, b: 2 } } },
      ],
    });
    expect(results.map(({ data }) => data)).toEqual([
      { n: { a: 1 } },
      { n: { b: 2 } },
      { n: { a: 1, b: 2 } },
    ]);
    expect(results[1]!.meta).toMatchObject({ select_missing: ["/none"], deduplicated_of: "a0" });
  });

  test("of a loop are one call for each element that differs", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look");
    const { results } = await world.run([tool], {
      actions: [
        { id: "loop", tool: "look", for_each: [1, 2, 1, 1, 2], args: { n: { $ref: "item#" } } },
        { id: "alone", tool: "look", args: { n: 2 } },
      ],
    });
    expect(calls.map((args) => (args as { n: number }).n)).toEqual([1, 2]);
    expect(results[0]!.data).toEqual(
      [1, 2, 1, 1, 2].map((n, index) => ({ index, status: "success", data: { n } })),
    );
    expect(results[0]!.meta).toMatchObject({ attempts: 2 });
  });

  test("with different timeouts, and of different tools, are calls of their own", async () => {
    const world = new TestWorld();
    const look = counted(world, "look");
    const peek = counted(world, "peek");
    await world.run([look.tool, peek.tool], {
      actions: [
        { tool: "look", args: { n: 1 } },
        { tool: "look", args: { n: 1 }, timeout_ms: 500 },
        { tool: "peek", args: { n: 1 } },
        { tool: "peek", args: { n: "1" } },
      ],
    });
    expect([look.calls.length, peek.calls.length]).toEqual([2, 2]);
  });

  test("take no place under their tool's cap", async () => {
    const world = new TestWorld();
    const { tool } = counted(world, "look", { orchestration: { mode: "sequential-only" } });
    const { stats, results } = await world.run([tool], {
      actions: [1, 1, 1, 2, 2].map((n) => ({ tool: "look", args: { n } })),
    });
    expect(stats).toMatchObject({ duration_ms: 200, max_parallelism: 1 });
    expect(results[4]!.meta).toMatchObject({ duration_ms: 100, queued_ms: 100, deduplicated_of: "a3" });
  });

  test("draw once from their tool's rate limit, and are denied together", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look", {
      orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 10, scope: "tenant" } },
    });
    const actions = [1, 1, 2, 1].map((n) => ({ tool: "look", args: { n } }));
    await world.run([tool], { actions });
    expect(world.gate.requests[0]!.draws.map(({ index }) => index)).toEqual([0, 2]);

    calls.length = 0;
    world.gate.denied = [{ index: 0, retryAfterMs: 500 }];
    const { results } = await world.run([tool], { actions });
    expect(results.map(({ error }) => error?.code)).toEqual([
      "RATE_LIMITED",
      "RATE_LIMITED",
      undefined,
      "RATE_LIMITED",
    ]);
    expect(calls).toHaveLength(1);
  });

  test("are each an event of their own", async () => {
    const world = new TestWorld();
    const { tool } = counted(world, "look");
    const events: string[] = [];
    const twin = { tool: "look", args: { n: 1 } };
    await world.run(
      [tool],
      { actions: [twin, twin] },
      { listener: { onOutcome: ({ id }) => events.push(id) } },
    );
    expect(events).toEqual(["a0", "a1"]);
  });
});

describe("A write", () => {
  test("is never one call with another", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "put", { isWrite: true });
    await world.run([tool], { actions: [1, 1].map((n) => ({ tool: "put", args: { n } })) });
    expect(calls).toHaveLength(2);
  });

  test("makes what was read of its domain be read again, and leaves other domains alone", async () => {
    const world = new TestWorld();
    const near = counted(world, "near", { domain: "store" });
    const far = counted(world, "far", { domain: "elsewhere" });
    const put = counted(world, "put", { isWrite: true, domain: "store" });
    const { results } = await world.run([near.tool, far.tool, put.tool], {
      actions: ["near", "far", "put", "near", "far", "near"].map((tool) => ({ tool, args: { n: 1 } })),
    });
    expect([near.calls.length, far.calls.length]).toEqual([2, 1]);
    expect(twinsOf(results)).toEqual([undefined, undefined, undefined, undefined, "a1", "a3"]);
  });

  test("of any domain makes what the caller ordered after it be read for itself, however long the way", async () => {
    const world = new TestWorld();
    const look = counted(world, "look", { domain: "store" });
    const put = counted(world, "put", { isWrite: true, domain: "elsewhere" });
    const same = { tool: "look", args: { n: 1 } };
    const { results } = await world.run([look.tool, put.tool], {
      actions: [
        same,
        { id: "put", tool: "put", args: { n: 1 } },
        { id: "named", ...same, depends_on: ["put"] },
        { tool: "look", args: { n: { $ref: "put#/n" } } },
        { ...same, depends_on: ["named"] },
        { tool: "look", for_each: [1, 1], args: { n: { $ref: "item#" } }, depends_on: ["put"] },
        same,
      ],
    });
    expect(twinsOf(results)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      "a0",
    ]);
    expect(look.calls).toHaveLength(6);
  });

  test("makes reads of its domain draw each for itself", async () => {
    const world = new TestWorld();
    const rate_limit = { limit: 5, window_s: 10, scope: "tenant" } as const;
    const near = counted(world, "near", {
      domain: "store",
      orchestration: { mode: "parallel-safe", rate_limit },
    });
    const put = counted(world, "put", { isWrite: true, domain: "store" });
    await world.run([near.tool, put.tool], {
      actions: ["near", "put", "near"].map((tool) => ({ tool, args: { n: 1 } })),
    });
    expect(world.gate.requests[0]!.draws.map(({ index }) => index)).toEqual([0, 2]);
  });
});

describe("A shared call", () => {
  test("goes on when a loop that shares it stops, and ends when no step waits for it", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look", {
      orchestration: { mode: "parallel-safe", on_error: "fail-fast" },
      run: async (args, { signal }) => {
        calls.push(args);
        const { n, fail } = args as { n: number; fail?: boolean };
        await world.clock.sleep(fail === true ? 10 : 100);
        if (signal.aborted) throw signal.reason;
        if (fail === true) throw new ToolFailure("NOT_FOUND");
        return { n };
      },
    });
    const elements = [{ n: 1 }, { n: 2, fail: true }, { n: 3 }];
    const { results } = await world.run([tool], {
      actions: [
        { id: "loop", tool: "look", for_each: elements, args: { $ref: "item#" } },
        { id: "alone", tool: "look", args: { n: 1 } },
      ],
    });
    expect(calls).toHaveLength(3);
    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "NOT_FOUND" },
      meta: { duration_ms: 10 },
    });
    expect(results[1]).toMatchObject({
      status: "success",
      data: { n: 1 },
      meta: { deduplicated_of: "loop" },
    });
  });

  test("goes on after the deadline for the jobs of everyone who waits for it, and is still one call", async () => {
    const world = new TestWorld();
    const { tool, calls } = counted(world, "look");
    const twin = { tool: "look", args: { n: 1 } };
    const { results, stats } = await world.run([tool], { actions: [twin, twin], deadline_ms: 50 });
    expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated"]);
    expect(stats["duration_ms"]).toBe(50);

    await world.drain();
    expect(calls).toHaveLength(1);
    const succeeded = { kind: "succeeded", dataJson: '{"n":1}' };
    expect([...world.gate.settled.values()]).toEqual([succeeded, succeeded]);
  });

  test("is stopped for everyone when another action fails under fail-fast", async () => {
    const world = new TestWorld();
    const { tool } = counted(world, "look");
    const bad = contractOf("bad", {
      run: async () => {
        await world.clock.sleep(10);
        throw new ToolFailure("NOT_FOUND");
      },
    });
    const twin = { tool: "look", args: { n: 1 } };
    const { results } = await world.run([tool, bad], {
      actions: [twin, twin, { tool: "bad" }],
      on_error: "fail-fast",
    });
    expect(results.map(({ error }) => error?.code)).toEqual(["ABORTED", "ABORTED", "NOT_FOUND"]);
  });
});

trial(
  "for any batch, what is called upstream are the groups that differ between writes, and each action has its result",
  async () => {
    const action = fc.record({
      kind: fc.constantFrom("near", "near", "far", "put"),
      n: fc.nat(2),
      loop: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (sketches) => {
        const world = new TestWorld();
        const near = counted(world, "near", { domain: "store" });
        const far = counted(world, "far", { domain: "elsewhere" });
        const put = counted(world, "put", { isWrite: true, domain: "store" });
        const actions = sketches.map(({ kind, n, loop }) => ({
          tool: kind,
          ...(loop ? { for_each: [n, 0, n], args: { n: { $ref: "item#" } } } : { args: { n } }),
        }));
        const { results } = await world.run([near.tool, far.tool, put.tool], { actions });

        const expected = { near: 0, far: 0, put: 0 };
        const groups = { near: new Set<number>(), far: new Set<number>() };
        for (const { kind, n, loop } of sketches) {
          const asked = loop ? [n, 0, n] : [n];
          if (kind === "put") {
            expected.put += asked.length;
            groups.near.clear();
            continue;
          }
          for (const each of new Set(asked)) if (!groups[kind].has(each)) expected[kind] += 1;
          for (const each of asked) groups[kind].add(each);
        }
        expect({ near: near.calls.length, far: far.calls.length, put: put.calls.length }).toEqual(expected);
        expect(results.map(({ status, tool }) => [status, tool])).toEqual(
          sketches.map(({ kind }) => ["success", kind]),
        );
        for (const [at, { n, loop }] of sketches.entries()) {
          const data = loop
            ? [n, 0, n].map((each, index) => ({ index, status: "success", data: { n: each } }))
            : { n };
          expect(results[at]!.data).toEqual(data);
        }
      }),
      { numRuns: 60 },
    );
  },
);
