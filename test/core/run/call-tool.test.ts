import { describe, expect, test } from "vitest";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

const RETRIED = {
  mode: "parallel-safe",
  backoff: { strategy: "exponential", initial_ms: 1_000 },
} as const;

/** A tool that fails in a way that passes, so many times; each attempt takes 10 ms. */
function failing(world: TestWorld, times: number, declaration: Partial<ToolDeclaration> = {}) {
  const attempts: number[] = [];
  const startedAt = world.clock.now();
  const tool = contractOf("fails", {
    orchestration: RETRIED,
    ...declaration,
    run: async () => {
      attempts.push(world.clock.now() - startedAt);
      await world.clock.sleep(10);
      if (attempts.length <= times) throw new ToolFailure("UPSTREAM_ERROR", { retryable: true });
      return "done";
    },
  });
  return { tool, attempts };
}

describe("A call that failed in a way that passes", () => {
  test("is made again after a pause, and says how often it was made and how long it took", async () => {
    const world = new TestWorld();
    const { tool, attempts } = failing(world, 1);
    const { results } = await world.run([tool], { actions: [{ tool: "fails" }] });
    expect(results[0]).toMatchObject({
      status: "success",
      meta: { attempts: 2, duration_ms: attempts[1]! + 10 },
    });
    expect(attempts[1]).toBeGreaterThanOrEqual(500);
  });

  test("is not waited for where the pause would take all of its time: the failure comes at once", async () => {
    const world = new TestWorld();
    const { tool, attempts } = failing(world, 5, { timeoutMs: 400 });
    const { results } = await world.run([tool], { actions: [{ tool: "fails" }] });
    expect(results[0]).toMatchObject({
      error: { code: "UPSTREAM_ERROR" },
      meta: { attempts: 1, duration_ms: 10 },
    });
    expect(attempts).toEqual([0]);
  });

  test("is not made again once its batch is stopped, in the pause or in the call", async () => {
    for (const deadline_ms of [5, 300]) {
      const world = new TestWorld();
      const { tool, attempts } = failing(world, 5, { isWrite: true, actions: ["create"], timeoutMs: 20_000 });
      const { results } = await world.run([tool], { actions: [{ tool: "fails" }], deadline_ms });
      expect(results[0]).toMatchObject({ status: "error" });
      await world.clock.advance(60_000);
      expect(attempts).toEqual([0]);
    }
  });

  trial("is made again only as long as not too many of its tool's calls were", async () => {
    const world = new TestWorld();
    const tool = contractOf("fails", {
      orchestration: RETRIED,
      run: () => Promise.reject(new ToolFailure("UPSTREAM_ERROR", { retryable: true })),
    });
    const actions = Array.from({ length: 50 }, (_, n) => ({ tool: "fails", args: { n } }));
    let extra = 0;
    for (let batch = 0; batch < 4; batch += 1) {
      const { results } = await world.run([tool], { actions });
      for (const { meta } of results) extra += meta.attempts! - 1;
    }
    // Without the calls that were counted there would be ten.
    expect(extra).toBeGreaterThan(10);
    expect(extra).toBeLessThanOrEqual(200 * 0.2 + 10);
  });
});

describe("The retries that a tool's calls may have", () => {
  const failingAlways = (name: string, orchestration: NonNullable<ToolDeclaration["orchestration"]>) =>
    contractOf(name, {
      orchestration,
      run: () => Promise.reject(new ToolFailure("UPSTREAM_ERROR", { retryable: true })),
    });

  test("are not more for calls of tools that are never tried again", async () => {
    const world = new TestWorld();
    let counted = 0;
    world.health.countCall = () => void (counted += 1);
    const tools = [failingAlways("once", { mode: "parallel-safe" }), failingAlways("again", RETRIED)];
    await world.run(tools, {
      actions: [{ tool: "once" }, { tool: "again" }, { tool: "again", args: { n: 1 } }],
    });
    expect(counted).toBe(2);
  });

  test("are counted for the tenant whose call it is", async () => {
    const world = new TestWorld();
    const asked: string[] = [];
    world.health.countCall = (tool, tenant) => void asked.push(`${tool.name} of ${tenant}`);
    world.health.takeRetry = (tool, tenant) => {
      asked.push(`${tool.name} of ${tenant} again`);
      return false;
    };
    const { results } = await world.run([failingAlways("again", RETRIED)], { actions: [{ tool: "again" }] });
    expect(asked).toEqual(["again of acme", "again of acme again"]);
    expect(results[0]!.meta.attempts).toBe(1);
  });
});

describe("An upstream that is known to fail", () => {
  const asking = (declaration: Partial<ToolDeclaration> = {}) =>
    contractOf("ask", {
      hosts: ["up.example.com"],
      timeoutMs: 1_000,
      ...declaration,
      run: async (_, ctx) => (await ctx.fetch("https://up.example.com/")).json(),
    });
  const actions = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, n) => ({ tool: "ask", args: { n }, ...more }));

  test("is not called: no attempt was made, and none is counted", async () => {
    const world = new TestWorld();
    world.fetch = async () => new Response(null, { status: 500 });
    const tool = asking();
    await world.run([tool], { actions: actions(25) });
    const { results } = await world.run([tool], { actions: actions(1) });
    expect(results[0]).toMatchObject({ error: { code: "CIRCUIT_OPEN" }, meta: { attempts: 0 } });
  });

  test("is not called again: the attempts are those that were sent", async () => {
    const world = new TestWorld();
    world.fetch = async () => new Response(null, { status: 500 });
    const tool = asking({ orchestration: RETRIED, timeoutMs: 20_000 });
    const { results } = await world.run([tool], { actions: actions(25) });
    const [kept] = results.filter(({ error }) => error?.code === "CIRCUIT_OPEN");
    expect(kept).toMatchObject({ meta: { attempts: 1 } });
  });

  trial("is found out by calls that had all of their tool's time, not by those that had less", async () => {
    const codeAfter = async (timeout_ms: number) => {
      const world = new TestWorld();
      world.fetch = () => new Promise(() => {});
      const tool = asking();
      for (let batch = 0; batch < 5; batch += 1)
        await world.run([tool], { actions: actions(6, { timeout_ms }) });
      world.fetch = async () => Response.json("fine");
      const { results } = await world.run([tool], { actions: actions(1) });
      return results[0]!.error?.code ?? "fine";
    };
    expect([await codeAfter(1_000), await codeAfter(999)]).toEqual(["CIRCUIT_OPEN", "fine"]);
  });
});

test("a call says of its time out whose limit it was", async () => {
  const hintOf = async (fields: object) => {
    const world = new TestWorld();
    const slow = contractOf("slow", { timeoutMs: 500, run: () => new Promise(() => {}) });
    const { results } = await world.run([slow], { actions: [{ tool: "slow", ...fields }] });
    return results[0]!.error?.hint;
  };
  expect(await hintOf({})).toContain("longer than the 500 ms that its tool may take");
  expect(await hintOf({ timeout_ms: 500 })).toContain("longer than the 500 ms that its tool may take");
  expect(await hintOf({ timeout_ms: 499 })).toContain("longer than the 499 ms of this action's timeout_ms");
});

describe("The bytes that a batch holds", () => {
  const body = (bytes: number) => Response.json("x".repeat(bytes - 2));
  const reading = (name: string, declaration: Partial<ToolDeclaration> = {}) =>
    contractOf(name, {
      hosts: ["up.example.com"],
      ...declaration,
      run: async (_, ctx) => (await ctx.fetch("https://up.example.com/")).json(),
    });

  /** Read bodies one after the other, with room for a million bytes. */
  async function codesOf(actions: readonly object[], bytes: readonly number[], tools = [reading("read")]) {
    const world = new TestWorld();
    world.secrets.set("KEY", "a secret of ours");
    const bodies = bytes.values();
    world.fetch = async () => body(bodies.next().value!);
    const { options } = world.execution([]);
    const { results } = await world.run(
      tools,
      { actions },
      { options: { ...options, requestResponseBytes: 1_000_000 } },
    );
    return results.map(({ error }) => error?.code ?? "fine");
  }
  const after = (id: string, before?: string): object => ({
    id,
    tool: "read",
    args: { id },
    ...(before !== undefined && { depends_on: [before] }),
  });

  trial("is what it has read and shows, for as long as it lasts", async () => {
    const chain = [after("a"), after("b", "a"), after("c", "b")];
    expect(await codesOf(chain, [300_000, 300_000, 300_000])).toEqual(["fine", "fine", "fine"]);
    expect(await codesOf(chain, [400_000, 400_000, 400_000])).toEqual(["fine", "fine", "RESPONSE_TOO_LARGE"]);
  });

  trial("is not what a call has read beyond what it shows", async () => {
    const picking = contractOf("read", {
      hosts: ["up.example.com"],
      run: async (_, ctx) => String(await (await ctx.fetch("https://up.example.com/")).json()).slice(0, 10),
    });
    const chain = [after("a"), after("b", "a"), after("c", "b")];
    expect(await codesOf(chain, [600_000, 600_000, 600_000], [picking])).toEqual(["fine", "fine", "fine"]);
  });

  trial("is not what an attempt has read that failed", async () => {
    let tries = 0;
    const picky = contractOf("read", {
      hosts: ["up.example.com"],
      orchestration: { ...RETRIED, backoff: { ...RETRIED.backoff, initial_ms: 1 } },
      run: async (_, ctx) => {
        const read: unknown = await (await ctx.fetch("https://up.example.com/")).json();
        tries += 1;
        if (tries === 1) throw new ToolFailure("UPSTREAM_ERROR", { retryable: true });
        return read;
      },
    });
    expect(await codesOf([after("a")], [900_000, 900_000], [picky])).toEqual(["fine"]);
  });

  trial("is twice as much where secrets have to be looked for in it", async () => {
    const secret = { secrets: ["KEY"] };
    expect(await codesOf([after("a")], [600_000], [reading("read")])).toEqual(["fine"]);
    expect(await codesOf([after("a")], [600_000], [reading("read", secret)])).toEqual(["RESPONSE_TOO_LARGE"]);
  });
});

test("a batch says how many of its calls were under way at once, whatever became of them", async () => {
  const world = new TestWorld();
  const wait = contractOf("wait", {
    run: async (args) => {
      await world.clock.sleep(10);
      if ((args as { fails?: true }).fails) throw new ToolFailure("NOT_FOUND");
    },
  });
  const atOnce = async (actions: readonly object[]) =>
    (await world.run([wait], { actions })).stats["max_parallelism"];
  const call = (n: number, more: object = {}) => ({ id: `a${n}`, tool: "wait", args: { n, ...more } });
  expect(await atOnce([call(1), call(2), call(3, { fails: true })])).toBe(3);
  expect(
    await atOnce([call(1), { ...call(2), depends_on: ["a1"] }, { ...call(3), depends_on: ["a2"] }]),
  ).toBe(1);
});
