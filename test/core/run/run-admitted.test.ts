import { describe, expect, test } from "vitest";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

const sends = (name: string, declaration: Partial<ToolDeclaration> = {}) =>
  contractOf(name, {
    hosts: ["up.example.com"],
    ...declaration,
    run: async (_, ctx) => (await ctx.fetch(`https://up.example.com/${name}`)).json(),
  });

const TOOLS = [
  sends("read"),
  sends("write", { isWrite: true, actions: ["create"] }),
  sends("retried", {
    orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 1 } },
  }),
  sends("later", { isWrite: true, actions: ["create"], execution: "fire-and-forget", domain: "mail" }),
  sends("ours", { orchestration: { mode: "parallel-safe", global_concurrency: 6 } }),
];

/** Run a batch, and say of each request whether it could be stopped. */
async function signalsOf(actions: readonly object[], overrides: Partial<Execution> = {}) {
  const world = new TestWorld();
  const signals: boolean[] = [];
  world.fetch = async (_, init) => {
    signals.push(init.signal instanceof AbortSignal);
    return Response.json("done");
  };
  await world.run(TOOLS, { actions }, overrides);
  const lasting = world.deferred.length;
  await world.drain();
  return { signals: [...new Set(signals)], lasting };
}

const reads = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ tool: "read", args: { n } }));

describe("a request that is given up may go on with the invocation", () => {
  test.each<[string, readonly object[]]>([
    ["a read", reads(1)],
    ["as many reads as there are header slots", reads(6)],
    ["a read beside an action that is refused", [...reads(1), { tool: "nothing" }]],
  ])("where no other call waits for its slot: %s", async (_, actions) => {
    expect((await signalsOf(actions)).signals).toEqual([false]);
  });

  test.each<[string, readonly object[]]>([
    ["more reads than slots", reads(7)],
    ["a write beside it", [...reads(1), { tool: "write" }]],
    ["a loop", [{ tool: "read", for_each: [1, 2], args: { n: { $ref: "item#" } } }]],
    ["one that may be tried again", [{ tool: "retried" }]],
    ["a loop beside it", [...reads(1), { tool: "read", for_each: [], args: {} }]],
    ["a job beside it, whose call comes later", [...reads(1), { tool: "later" }]],
    ["a permit to be given back", [{ tool: "ours" }]],
    ["an answer that is kept", [{ tool: "read", idempotency_key: "k-1" }]],
  ])("and never with %s", async (_, actions) => {
    expect((await signalsOf(actions)).signals).toEqual([true]);
  });

  test("nor when results are told while it runs, which its caller may leave", async () => {
    const told: string[] = [];
    const overrides = { listener: { onOutcome: ({ id }: { readonly id: string }) => void told.push(id) } };
    expect((await signalsOf(reads(1), overrides)).signals).toEqual([true]);
    expect(told).toHaveLength(1);
  });
});

test("only a batch with a write, or with a permit to give back, outlives its answer", async () => {
  const lastingOf = async (tool: string) => (await signalsOf([{ tool }])).lasting;
  expect(await Promise.all(["read", "retried", "write", "ours"].map(lastingOf))).toEqual([0, 0, 1, 1]);
});

test("what is kept for a later question is seen through when its caller goes away", async () => {
  const statusesOf = async (fields: object) => {
    const world = new TestWorld();
    const slow = contractOf("slow", {
      isWrite: true,
      actions: ["create"],
      run: () => world.clock.sleep(100).then(() => "done"),
    });
    world.clock.after(50, () => world.gone.abort());
    const { results } = await world.run([slow], { actions: [{ tool: "slow", ...fields }, { tool: "slow" }] });
    return results.map(({ status, error }) => error?.code ?? status);
  };
  expect(await statusesOf({ idempotency_key: "k-1" })).toEqual(["success", "success"]);
  expect(await statusesOf({})).toEqual(["CANCELLED", "CANCELLED"]);
});

trial(
  "a batch with a token budget reads half as much, because weighing data costs as much as reading it",
  async () => {
    const codeOf = async (fields: object) => {
      const world = new TestWorld();
      world.fetch = async () => Response.json("x".repeat(300_000));
      const { options } = world.execution([]);
      const { results } = await world.run(
        TOOLS,
        { actions: reads(2), ...fields },
        { options: { ...options, requestResponseBytes: 1_000_000 } },
      );
      return results.map(({ error }) => error?.code ?? "fine");
    };
    expect(await codeOf({})).toEqual(["fine", "fine"]);
    expect(await codeOf({ max_tokens: 100_000 })).toContain("RESPONSE_TOO_LARGE");
  },
);

test("a batch whose caller was gone before it began calls nothing", async () => {
  const world = new TestWorld();
  let calls = 0;
  const write = contractOf("write", {
    isWrite: true,
    actions: ["create"],
    run: async () => void (calls += 1),
  });
  world.gate.beforeAnswer = async () => world.gone.abort();
  const { results } = await world.run([write], { actions: [{ tool: "write" }, { tool: "write" }] });
  expect(results.map(({ error }) => error?.code)).toEqual(["CANCELLED", "CANCELLED"]);
  expect(calls).toBe(0);
});
