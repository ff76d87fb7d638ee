import { describe, expect, test } from "vitest";
import * as z from "zod";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { markDegraded } from "../../../src/core/gate/degrade-plan.ts";
import { TestWorld } from "../../support/execute-batch.ts";

const ran: string[] = [];
const tool = (name: string, changes: Partial<Parameters<typeof defineTool>[0]> = {}) =>
  defineTool({
    name,
    summary: name,
    description: name,
    category: name,
    actions: ["do"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({ n: z.int().optional() }),
    hosts: [],
    orchestration: { mode: "parallel-safe" },
    run: async () => {
      ran.push(name);
      return [1, 2];
    },
    ...changes,
  });

const limited = { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 10, scope: "tenant" } } as const;
const TOOLS = [
  tool("read"),
  tool("strict", { whenLimiterDown: "refuse" }),
  tool("limited", { orchestration: limited }),
  tool("lenient", { orchestration: limited, whenLimiterDown: "run" }),
  tool("write", { isWrite: true }),
  tool("mail", { isWrite: true, execution: "fire-and-forget" }),
];

/** Run a batch while the gate is down. */
async function runDegraded(actions: readonly object[], more: object = {}) {
  ran.length = 0;
  const world = new TestWorld();
  world.gate.down = true;
  const envelope = await world.run(TOOLS, { actions, ...more });
  return { ...envelope, world };
}

describe("a batch while the limiter does not answer", () => {
  test("F16 runs the reads that may, refuses the rest, and says of every result that it was not counted", async () => {
    const { results, summary } = await runDegraded(
      ["read", "strict", "limited", "lenient", "write"].map((name) => ({ tool: name })),
    );
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "success",
      "OVERLOADED",
      "OVERLOADED",
      "success",
      "OVERLOADED",
    ]);
    expect(ran.toSorted()).toEqual(["lenient", "read"]);
    expect(summary).toMatchObject({ total: 5, ok: 2, error: 3 });
    for (const { meta } of results) expect(meta).toMatchObject({ limiter: "degraded" });
    expect(results[4]!.error).toMatchObject({
      retryable: true,
      retry_after_ms: 1_000,
      hint: expect.stringContaining("no write is sent uncounted; nothing was sent"),
    });
  });

  test("never says `initiated`, and says what may have been recorded all the same", async () => {
    const { results } = await runDegraded([
      { tool: "read", id: "first" },
      { tool: "mail" },
      { tool: "mail", depends_on: ["first"] },
    ]);
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      "OUTBOX_UNAVAILABLE",
      "OUTBOX_UNAVAILABLE",
    ]);
    expect(results[1]!.error!.hint).toContain("may have recorded this action all the same");
    expect(results[2]!.error!.hint).toContain("was not recorded");
  });

  test("skips what depends on a refused action", async () => {
    const { results } = await runDegraded([
      { tool: "write", id: "w" },
      { tool: "read", depends_on: ["w"] },
      { tool: "read" },
    ]);
    expect(results.map(({ status }) => status)).toEqual(["error", "skipped", "success"]);
    expect(results[1]).toMatchObject({ because: "w", meta: { limiter: "degraded" } });
  });

  test("under fail-fast starts nothing beside a refused action, as beside any that was wrong from the beginning", async () => {
    const { results } = await runDegraded([{ tool: "read" }, { tool: "write", id: "w" }], {
      on_error: "fail-fast",
    });
    expect(results).toMatchObject([
      { status: "skipped", because: "w", error: { code: "ABORTED" } },
      { status: "error", error: { code: "OVERLOADED" } },
    ]);
    expect(ran).toEqual([]);
  });

  test("tells the results of a stream the same", async () => {
    const world = new TestWorld();
    world.gate.down = true;
    const told: Outcome[] = [];
    await world.run(
      TOOLS,
      { actions: [{ tool: "read" }] },
      { listener: { onOutcome: (_, outcome) => void told.push(outcome) } },
    );
    expect(told).toMatchObject([{ status: "success", meta: { limiter: "degraded" } }]);
  });

  test("runs nothing beyond what this isolate alone has seen of the quota", async () => {
    const world = new TestWorld();
    world.gate.down = true;
    world.gate.aloneAllowed = false;
    const answer = await world.execute(TOOLS, { actions: [{ tool: "read" }] });
    expect(answer).toMatchObject({ ok: false, error: { refusal: { code: "UNAVAILABLE" } } });
  });

  test("runs nothing where everything that may run waits for what may not", async () => {
    const world = new TestWorld();
    world.gate.down = true;
    const actions = [
      { id: "w", tool: "write" },
      { tool: "read", depends_on: ["w"] },
    ];
    const answer = await world.execute(TOOLS, { actions });
    expect(answer).toMatchObject({ ok: false, error: { refusal: { code: "UNAVAILABLE" } } });
  });

  test("has no quota to tell", async () => {
    const world = new TestWorld();
    world.gate.down = true;
    const answer = await world.execute(TOOLS, { actions: [{ tool: "read" }] });
    expect(answer).toMatchObject({ ok: true, value: { quota: null } });
  });
});

test("a batch that was counted says nothing of the limiter", async () => {
  const { results } = await new TestWorld().run(TOOLS, { actions: [{ tool: "read" }] });
  expect(results[0]!.meta).not.toHaveProperty("limiter");
});

test("a loop whose limit cannot be asked any more runs only where its tool declares it, and says so", async () => {
  for (const [name, code] of [
    ["lenient", undefined],
    ["limited", "OVERLOADED"],
  ] as const) {
    const world = new TestWorld();
    world.gate.beforeAnswer = async ({ quota }) => void (world.gate.down = quota === null);
    const { results } = await world.run(TOOLS, {
      actions: [{ tool: name, for_each: [1, 2], args: { n: { $ref: "item#" } } }],
    });
    expect(results[0]).toMatchObject({ meta: { limiter: "degraded" } });
    expect(results[0]!.error?.code).toBe(code);
  }
});

test("markDegraded() changes nothing else of an outcome", () => {
  const outcome: Outcome = { status: "success", data: 1, json: "1", meta: { attempts: 1 } };
  expect(markDegraded(outcome)).toEqual({ ...outcome, meta: { attempts: 1, limiter: "degraded" } });
});
