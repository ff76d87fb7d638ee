import { describe, expect, test } from "vitest";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import { TestWorld, type WireResult } from "../../../support/execute-batch.ts";
import { toRunnable } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { valueOf } from "../../../support/unwrap.ts";

const double = contractOf("double", { run: async (args) => ({ twice: 2 * (args as { n: number }).n }) });
const broken = contractOf("broken", { run: () => Promise.reject(new Error("boom")) });
const later = contractOf("later", {
  isWrite: true,
  execution: "fire-and-forget",
  run: async () => ({ done: true }),
});

/** A tool that is a batch. */
function flowOf(
  name: string,
  body: { actions: readonly object[]; on_error?: string; deadline_ms?: number; answer?: unknown },
  declared: Partial<Tool> = {},
): Tool {
  const { answer, ...batch } = body;
  return {
    ...contractOf(name),
    ...declared,
    inner: toRunnable({ batch: valueOf(parseBatch(batch, 1_000)), answer, tools: ["*"] }),
  };
}

const quadruple = flowOf("quadruple", {
  actions: [
    { id: "once", tool: "double", args: { n: { $ref: "input#/n" } } },
    { id: "again", tool: "double", args: { n: { $ref: "once#/twice" } } },
  ],
  answer: { result: { $ref: "again#/twice" }, said: { $template: "{{input#/n}} times four" } },
});

async function run(
  tools: readonly Tool[],
  actions: readonly object[],
  world = new TestWorld(),
  batch: object = {},
): Promise<readonly WireResult[]> {
  const { results } = await world.run([double, broken, later, ...tools], { actions, ...batch });
  return results;
}

describe("A flow in a batch", () => {
  test("runs its actions with its arguments as their input, and answers what it says", async () => {
    const [result] = await run([quadruple], [{ tool: "quadruple", args: { n: 3 } }]);
    expect(result).toMatchObject({
      status: "success",
      data: { result: 12, said: "3 times four" },
      meta: { attempts: 1 },
    });
  });

  test("answers the jobs of a loop over background work", async () => {
    const fanOut = flowOf(
      "fan_out",
      {
        actions: [{ id: "each", tool: "later", for_each: { $ref: "input#/to" } }],
        answer: { $ref: "each#" },
      },
      { isWrite: true },
    );
    const [result] = await run([fanOut], [{ tool: "fan_out", args: { to: ["a", "b"] } }]);
    expect(result).toMatchObject({
      status: "success",
      data: [0, 1].map((index) => ({ index, status: "initiated", job_id: expect.stringMatching(/./) })),
    });
  });

  test("is referred to by other actions, and refers to them", async () => {
    const results = await run(
      [quadruple],
      [
        { id: "a", tool: "double", args: { n: 1 } },
        { id: "b", tool: "quadruple", args: { n: { $ref: "a#/twice" } } },
        { tool: "double", args: { n: { $ref: "b#/result" } } },
      ],
    );
    expect(results[2]).toMatchObject({ data: { twice: 16 } });
  });

  test("runs once for each element of a loop", async () => {
    const [result] = await run(
      [quadruple],
      [{ tool: "quadruple", for_each: [1, 2], args: { n: { $ref: "item#" } } }],
    );
    expect(result!.data).toMatchObject([{ data: { result: 4 } }, { data: { result: 8 } }]);
  });

  test("is one request of the quota, whatever it runs", async () => {
    const world = new TestWorld();
    await run(
      [quadruple],
      [
        { tool: "quadruple", args: { n: 1 } },
        { tool: "quadruple", args: { n: 2 } },
      ],
      world,
    );
    expect(world.gate.requests).toHaveLength(1);
  });

  test("records its background work, and says so by its success", async () => {
    const world = new TestWorld();
    const notify = flowOf("notify", { actions: [{ tool: "later" }] }, { isWrite: true });
    const [result] = await run([notify], [{ tool: "notify" }], world);
    expect(result).toMatchObject({ status: "success", data: null });
    expect(world.gate.recordedIds.size).toBe(1);
    expect(world.gate.requests.map(({ quota }) => quota === null)).toEqual([false, true]);
  });

  test("fails where its answer needs what failed, and not where it does not", async () => {
    const actions = [
      { id: "bad", tool: "broken" },
      { id: "good", tool: "double", args: { n: 1 } },
    ];
    const needs = flowOf("needs", { actions, answer: { $ref: "bad#" } });
    const does_not = flowOf("does_not", { actions, answer: { $ref: "good#/twice" } });
    const silent = flowOf("silent", { actions });
    const results = await run(
      [needs, does_not, silent],
      [{ tool: "needs" }, { tool: "does_not" }, { tool: "silent" }],
    );
    expect(results).toMatchObject([
      {
        status: "error",
        error: { code: "DEPENDENCY_FAILED", hint: expect.stringContaining("TOOL_FAILED") as string },
      },
      { status: "success", data: 2 },
      { status: "error", error: { code: "DEPENDENCY_FAILED" } },
    ]);
  });

  test("is broken where a tool of it is gone, or is a flow by now", async () => {
    const gone = flowOf("gone", { actions: [{ tool: "nowhere" }] });
    const nested = flowOf("nested", { actions: [{ tool: "quadruple", args: { n: 1 } }] });
    const results = await run([gone, nested, quadruple], [{ tool: "gone" }, { tool: "nested" }]);
    for (const result of results)
      expect(result).toMatchObject({ status: "error", error: { code: "FLOW_BROKEN" } });
  });

  test("is broken where a tool of it does more by now than the flow was kept for: nothing of it runs", async () => {
    let calls = 0;
    const run1 = async () => ((calls += 1), {});
    const writes = contractOf("writes", { isWrite: true, run: run1 });
    const removes = contractOf("removes", { isWrite: true, actions: ["delete"], run: run1 });
    const reads = flowOf("reads", { actions: [{ tool: "writes" }] });
    const unasked = flowOf("unasked", { actions: [{ tool: "removes" }] }, { isWrite: true });
    const results = await run([writes, removes, reads, unasked], [{ tool: "reads" }, { tool: "unasked" }]);
    for (const result of results)
      expect(result).toMatchObject({ status: "error", error: { code: "FLOW_BROKEN" } });
    expect(calls).toBe(0);
  });

  test("ends at its own deadline or the batch's, whichever is first, and takes its reads with it", async () => {
    const hangs = contractOf("hangs", {
      timeoutMs: 60_000,
      run: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("aborted"))),
        ),
    });
    const slow = flowOf("slow", { actions: [{ tool: "hangs" }], deadline_ms: 2_000 }, { timeoutMs: 2_000 });
    for (const [deadline_ms, expected] of [
      [10_000, 2_000],
      [500, 500],
    ] as const) {
      const world = new TestWorld();
      const [result] = await run([hangs, slow], [{ tool: "slow" }], world, { deadline_ms });
      expect(result!.status).not.toBe("success");
      expect(world.clock.now() - 1_000_000).toBeLessThanOrEqual(expected + 1_000);
    }
  });

  test("leaves a write without a known end unknown", async () => {
    const lost = contractOf("lost", {
      isWrite: true,
      hosts: ["api.example.com"],
      run: async (_, ctx) =>
        (await ctx.fetch("https://api.example.com/", { method: "POST", body: {} })).json(),
    });
    const world = new TestWorld();
    world.fetch = () => Promise.reject(new TypeError("connection lost"));
    const writes = flowOf("writes", { actions: [{ id: "w", tool: "lost" }] }, { isWrite: true });
    const [result] = await run([lost, writes], [{ tool: "writes" }], world);
    expect(result).toMatchObject({ status: "unknown", error: { code: "DEPENDENCY_FAILED" } });
  });

  test("shares the header slots of the batch that it is inside of", async () => {
    let open = 0;
    let most = 0;
    const world: TestWorld = new TestWorld();
    world.fetch = async () => {
      most = Math.max(most, (open += 1));
      await world.clock.sleep(10);
      open -= 1;
      return Response.json({});
    };
    const get = contractOf("get", {
      hosts: ["api.example.com"],
      run: async (args, ctx) =>
        (await ctx.fetch(`https://api.example.com/${(args as { n: number }).n}`)).json(),
    });
    const five = flowOf("five", {
      actions: Array.from({ length: 5 }, (_, n) => ({ tool: "get", args: { n } })),
    });
    await run(
      [get, five],
      Array.from({ length: 4 }, (_, n) => ({ tool: "five", args: { n } })),
      world,
    );
    expect(most).toBe(6);
  });
});

describe("A flow that does not come to its end", () => {
  const slowIn = (world: TestWorld) =>
    contractOf("slow", { run: () => world.clock.sleep(1_000).then(() => ({ done: true })) });
  const slowly = (more: object = {}) =>
    flowOf("slowly", { actions: [{ id: "s", tool: "slow" }], answer: { $ref: "s#/done" }, ...more });

  test("says how long it took, and how large its answer is", async () => {
    const world = new TestWorld();
    await world.clock.advance(77);
    const [result] = await run([slowIn(world), slowly()], [{ tool: "slowly" }], world);
    expect(result).toMatchObject({
      status: "success",
      data: true,
      meta: { duration_ms: 1_000, queued_ms: 0, attempts: 1, bytes: 4 },
    });
  });

  test("has the time that it says itself, and never more than the batch that it is in", async () => {
    for (const [deadline_ms, batch] of [
      [999, 15_000],
      [15_000, 999],
    ] as const) {
      const world = new TestWorld();
      const flow = slowly({ deadline_ms });
      const [result] = await run([slowIn(world), flow], [{ tool: "slowly" }], world, { deadline_ms: batch });
      expect(result!.status).toBe("error");
      expect(result!.meta.duration_ms).toBe(999);
    }
  });

  test("is overloaded where its background work could not be recorded, and says what the gate said", async () => {
    const world = new TestWorld();
    world.gate.beforeAnswer = ({ quota }) =>
      quota === null ? Promise.reject(new Error("The gate is down")) : Promise.resolve();
    const notify = flowOf("notify", { actions: [{ tool: "later" }] }, { isWrite: true });
    const [result] = await run([notify], [{ tool: "notify" }], world);
    expect(result).toMatchObject({
      status: "error",
      error: { code: "OVERLOADED", hint: expect.stringContaining("may have been recorded") as string },
    });
  });

  test("is broken where a tool of it is gone, and says which action", async () => {
    const gone = flowOf("gone", { actions: [{ id: "g", tool: "nowhere" }] });
    const [result] = await run([gone], [{ tool: "gone" }]);
    expect(result!.error).toMatchObject({
      code: "FLOW_BROKEN",
      hint: expect.stringContaining("'g'") as string,
    });
  });

  test("says which action it failed for, with its code and its hint, and nothing after where it has none", async () => {
    const told = contractOf("told", {
      run: () => Promise.reject(new ToolFailure("NOT_FOUND", { hint: "No such mail." })),
    });
    const untold = contractOf("untold", { run: () => Promise.reject(new ToolFailure("NOT_FOUND")) });
    const [said, unsaid] = await run(
      [
        told,
        untold,
        flowOf("one", { actions: [{ id: "t", tool: "told" }] }),
        flowOf("two", { actions: [{ id: "u", tool: "untold" }] }),
      ],
      [{ tool: "one" }, { tool: "two" }],
    );
    expect(said!.error!.hint).toBe("Its action 't' ended as error (NOT_FOUND). No such mail.");
    expect(unsaid!.error!.hint).toMatch(/^Its action 'u' ended as error \(NOT_FOUND\)\.( .+)?$/);
    expect(unsaid!.error!.hint).toBe(unsaid!.error!.hint!.trim());
  });

  test("says which of its writes took effect before it failed, so that they are not repeated unaware", async () => {
    const write = contractOf("write", { isWrite: true, category: "mail", run: async () => ({}) });
    const half = contractOf("half", {
      isWrite: true,
      category: "crm",
      run: async (args) =>
        (args as { n: number }).n > 1 ? Promise.reject(new ToolFailure("NOT_FOUND")) : {},
    });
    const flow = (name: string, actions: readonly object[], answer?: unknown): Tool =>
      flowOf(name, { actions, ...(answer !== undefined && { answer }) }, { isWrite: true });
    const results = await run(
      [
        write,
        half,
        flow("after_one", [
          { id: "sent", tool: "write" },
          { id: "b", tool: "broken", depends_on: ["sent"] },
        ]),
        flow("after_three", [
          { id: "sent", tool: "write" },
          { id: "job", tool: "later" },
          { id: "part", tool: "half", for_each: [1, 2] },
          { id: "read", tool: "double", args: { n: 1 } },
          { id: "b", tool: "broken" },
        ]),
        flow("no_answer", [{ id: "sent", tool: "write" }], { $ref: "sent#/nowhere" }),
        flow("before", [
          { id: "b", tool: "broken" },
          { id: "sent", tool: "write", depends_on: ["b"] },
        ]),
      ],
      ["after_one", "after_three", "no_answer", "before"].map((tool) => ({ tool })),
    );
    const [one, three, none, before] = results.map(({ error }) => error!.hint!);
    expect(one).toMatch(/ 'sent' took effect: a second run repeats it\.$/);
    expect(three).toMatch(/ 'sent', 'job', 'part' took effect: a second run repeats them\.$/);
    expect(none).toMatch(/ 'sent' took effect: a second run repeats it\.$/);
    expect(before).not.toContain("took effect");
  });

  test("with an answer about background work, whose result is not known, names no code", async () => {
    const early = flowOf(
      "early",
      { actions: [{ id: "j", tool: "later" }], answer: { $ref: "j#/done" } },
      { isWrite: true },
    );
    const [result] = await run([early], [{ tool: "early" }]);
    expect(result!.error!.hint).toBe(
      "The answer needs 'j', which ended as initiated. 'j' took effect: a second run repeats it.",
    );
  });
});
