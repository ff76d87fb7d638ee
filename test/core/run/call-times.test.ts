import { describe, expect, test } from "vitest";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import type { CallStart } from "../../../src/core/gate/execution.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

/** A tool whose upstream takes so many milliseconds, sent by way of a header slot. */
function fetches(world: TestWorld, ms: number, declaration: Partial<ToolDeclaration> = {}) {
  world.fetch = async () => {
    await world.clock.sleep(ms);
    return Response.json({});
  };
  return contractOf("fetches", {
    hosts: ["api.example.com"],
    run: async (_, ctx) => (await ctx.fetch("https://api.example.com/")).json(),
    ...declaration,
  });
}

/** A tool that fails so many times in a way that passes; each attempt takes 10 ms. */
function failing(world: TestWorld, times: number) {
  let attempts = 0;
  return contractOf("fails", {
    orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 1_000 } },
    run: async () => {
      attempts += 1;
      const failed = attempts <= times;
      await world.clock.sleep(10);
      if (failed) throw new ToolFailure("UPSTREAM_ERROR", { retryable: true });
      return "done";
    },
  });
}

/** Run a batch and take what its stream of events would say of its calls. */
async function runAndHear(world: TestWorld, tools: Parameters<TestWorld["run"]>[0], body: object) {
  const heard: (CallStart & { readonly id: string })[] = [];
  const listener = {
    onOutcome: () => {},
    onStarted: ({ id }: { readonly id: string }, start: CallStart) => void heard.push({ id, ...start }),
  };
  const { results } = await world.run(tools, body, { listener });
  return { results, heard };
}

describe("A result", () => {
  test("says when its call left its queues, from the batch's start, and ends after its duration", async () => {
    const world = new TestWorld();
    const tool = fetches(world, 100);
    const actions = Array.from({ length: 7 }, (_, n) => ({ tool: "fetches", args: { n } }));
    const { results } = await world.run([tool], { actions });
    expect(results.map(({ meta }) => meta.started_ms)).toEqual([0, 0, 0, 0, 0, 0, 100]);
    // The seventh waited for a header slot.
    expect(results[6]!.meta).toMatchObject({ queued_ms: 100, duration_ms: 100 });
  });

  test("of a call under a cap started when the cap let it go, and one that waited for another after that", async () => {
    const world = new TestWorld();
    const capped = fetches(world, 100, { orchestration: { mode: "sequential-only" } });
    const { results } = await world.run([capped], {
      actions: [
        { id: "first", tool: "fetches", args: { n: 1 } },
        { id: "second", tool: "fetches", args: { n: 2 } },
        { id: "third", tool: "fetches", args: { n: 3 }, depends_on: ["second"] },
      ],
    });
    expect(results.map(({ meta }) => meta.started_ms)).toEqual([100, 0, 200]);
  });

  test("of what never began has no start: refused, skipped, in the background, unstarted at the deadline", async () => {
    const world = new TestWorld();
    const slow = fetches(world, 1_000, { orchestration: { mode: "sequential-only" } });
    const later = contractOf("later", { isWrite: true, execution: "fire-and-forget" });
    const { results } = await world.run([slow, later], {
      deadline_ms: 500,
      actions: [
        { tool: "nowhere" },
        { tool: "fetches", depends_on: ["a0"] },
        { tool: "later" },
        { tool: "fetches", args: { n: 1 } },
        { tool: "fetches", args: { n: 2 } },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual([
      "error",
      "skipped",
      "initiated",
      "initiated",
      "initiated",
    ]);
    expect(results.map(({ meta }) => meta.started_ms)).toEqual([
      undefined,
      undefined,
      undefined,
      0,
      undefined,
    ]);
  });

  test("has its attempts where there was more than one, the last one included, each with its code", async () => {
    const world = new TestWorld();
    const { results } = await world.run([failing(world, 1)], { actions: [{ tool: "fails" }] });
    const [{ meta }] = results as [(typeof results)[number]];
    expect(meta.tries).toEqual([
      { started_ms: 0, duration_ms: 10, code: "UPSTREAM_ERROR" },
      { started_ms: meta.duration_ms! - 10, duration_ms: 10 },
    ]);
    expect(meta.started_ms).toBe(0);
  });

  test("that failed for good has the code of its last attempt too; after one attempt there are no tries", async () => {
    const world = new TestWorld();
    const { results } = await world.run([failing(world, 9)], { actions: [{ tool: "fails" }] });
    const { attempts, tries = [] } = results[0]!.meta;
    expect(tries).toHaveLength(attempts!);
    expect(tries.map(({ code }) => code)).toEqual(tries.map(() => "UPSTREAM_ERROR"));
    const once = new TestWorld();
    const [first] = (await once.run([failing(once, 0)], { actions: [{ tool: "fails" }] })).results;
    expect(first!.meta.tries).toBeUndefined();
  });

  test("of a loop started with its loop, and counts attempts without listing them", async () => {
    const world = new TestWorld();
    const { results } = await world.run([fetches(world, 50), failing(world, 1)], {
      actions: [
        { id: "before", tool: "fetches" },
        { tool: "fails", for_each: [1, 2], depends_on: ["before"] },
      ],
    });
    expect(results[1]!.meta).toMatchObject({ started_ms: 50, attempts: 2 });
    expect(results[1]!.meta.tries).toBeUndefined();
  });

  test("that shares another's call started no earlier than it joined", async () => {
    const world = new TestWorld();
    const { results } = await world.run([fetches(world, 100)], {
      actions: [{ tool: "fetches" }, { tool: "fetches" }],
    });
    expect(results.map(({ meta }) => meta.started_ms)).toEqual([0, 0]);
  });
});

describe("A batch that asks for progress", () => {
  test("tells each call when it leaves its queues, with the element and the attempt", async () => {
    const world = new TestWorld();
    const { heard } = await runAndHear(world, [fetches(world, 100), failing(world, 1)], {
      progress: true,
      actions: [
        ...Array.from({ length: 7 }, (_, n) => ({ id: `r${n}`, tool: "fetches", args: { n } })),
        { id: "loop", tool: "fails", for_each: [1] },
      ],
    });
    expect(heard.filter(({ id }) => id === "r6")).toEqual([
      { id: "r6", element: undefined, try: 1, started_ms: 100 },
    ]);
    expect(heard.filter(({ id }) => id === "loop")).toEqual([
      { id: "loop", element: 0, try: 1, started_ms: 0 },
      { id: "loop", element: 0, try: 2, started_ms: expect.any(Number) as number },
    ]);
  });

  test("says the same times as its results", async () => {
    const world = new TestWorld();
    const { heard, results } = await runAndHear(world, [fetches(world, 30), failing(world, 2)], {
      progress: true,
      actions: [
        ...Array.from({ length: 9 }, (_, n) => ({ tool: "fetches", args: { n } })),
        { tool: "fails" },
      ],
    });
    for (const { id, meta } of results) {
      const starts = heard.filter((start) => start.id === id).map(({ started_ms }) => started_ms);
      expect(starts).toEqual((meta.tries ?? [meta]).map(({ started_ms }) => started_ms));
    }
  });

  test("tells no start of a call that was stopped in its queue", async () => {
    const world = new TestWorld();
    const { heard } = await runAndHear(world, [fetches(world, 5_000, { idempotent: false })], {
      progress: true,
      deadline_ms: 1_000,
      actions: Array.from({ length: 8 }, (_, n) => ({ tool: "fetches", args: { n } })),
    });
    expect(heard).toHaveLength(6);
  });

  test("hears nothing unless it asks", async () => {
    const world = new TestWorld();
    const { heard } = await runAndHear(world, [fetches(world, 1)], { actions: [{ tool: "fetches" }] });
    expect(heard).toEqual([]);
  });
});
