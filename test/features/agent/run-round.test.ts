import { describe, expect, test } from "vitest";

import type { ModelCall } from "../../../src/features/agent/dialect/dialect.ts";
import { type Round, runRound } from "../../../src/features/agent/run-round.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { err, ok } from "../../../src/core/kit/result.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

const double = contractOf("double", {
  run: async (args) => ({ twice: 2 * (args as { n: number }).n }),
});
const big = contractOf("big", { run: async () => ({ text: "water ".repeat(2_000) }) });
const remove = contractOf("remove", { isWrite: true, actions: ["delete"] });

let ids = 0;
const call = (name: string, args: object = {}): ModelCall => ({
  id: `call_${(ids += 1)}`,
  name,
  args: ok({ ...args }),
  closed: false,
  written: JSON.stringify(args),
});
const batch = (fields: object): ModelCall => call("execute_actions", fields);

interface Told {
  readonly atMs: number;
  readonly index: number;
  readonly tool: string;
  readonly status: string;
  readonly error?: { readonly code: string; readonly retry_after_ms?: number };
}

/** Run a round, and what was told of it while it ran. */
async function run(
  calls: readonly ModelCall[],
  world = new TestWorld(),
  {
    maxTokens = 10_000,
    leftMs = 30_000,
    ...overrides
  }: Partial<Execution> & { maxTokens?: number; leftMs?: number } = {},
  tools: readonly Tool[] = [double, big, remove, waiting(world)],
): Promise<{ readonly round: Round; readonly told: Told[]; readonly replies: Record<string, unknown>[] }> {
  const told: Told[] = [];
  const startedAt = world.clock.now();
  const options = {
    bodyBytes: 1_000,
    leftMs,
    maxTokens,
    skipApproval: false,
    onResult: (json: string) =>
      void told.push({ atMs: world.clock.now() - startedAt, ...(JSON.parse(json) as Omit<Told, "atMs">) }),
  };
  const round = await world.clock.runUntil(runRound(calls, world.execution(tools, overrides), options));
  return {
    round,
    told,
    replies: round.replies.map(({ json }) => JSON.parse(json) as Record<string, unknown>),
  };
}

function waiting(world: TestWorld): Tool {
  return contractOf("wait", {
    run: (args) => world.clock.sleep((args as { ms: number }).ms).then(() => args),
  });
}

describe("The results of a round", () => {
  test("are told the moment they are known, under the number that they have in the end", async () => {
    const { round, told } = await run([
      call("wait", { ms: 30 }),
      { ...call("double"), args: err(makeFailure("INVALID_ARGS", { hint: "No JSON." })) },
      batch({
        actions: [
          { tool: "wait", args: { ms: 20 } },
          { tool: "wait", args: { ms: 10 } },
        ],
      }),
      call("double", { n: 4 }),
    ]);
    expect(told.map(({ atMs, index, tool, status }) => [atMs, index, tool, status])).toEqual([
      [0, 1, "double", "error"],
      [0, 4, "double", "success"],
      [10, 3, "wait", "success"],
      [20, 2, "wait", "success"],
      [30, 0, "wait", "success"],
    ]);
    const last = round.results.map((json) => JSON.parse(json) as Told);
    expect(last.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(last[1]).toMatchObject({ tool: "double", status: "error", error: { code: "INVALID_ARGS" } });
    expect(round.replies.map(({ failed }) => failed)).toEqual([false, true, false, false]);
    expect(round.durationMs).toBe(30);
  });

  test("keep the numbers of those before them, however many have ten and more", async () => {
    const { round } = await run(Array.from({ length: 12 }, (_, n) => call("double", { n })));
    expect(round.results.map((json) => (JSON.parse(json) as Told).index)).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    );
  });

  test.each([
    ["quota that is used up", { quotaAllowed: false }, "RATE_LIMITED", 1_500],
    ["a gate that does not answer", { down: true, aloneAllowed: false }, "OVERLOADED", 1_000],
  ])(
    "of %s are told, each with when to come back, and no call ends the request",
    async (_, gate, code, waitMs) => {
      const seen: unknown[] = [];
      const world = new TestWorld();
      Object.assign(world.gate, gate);
      const watch = {
        sawRefusal: (refusal: unknown) => void seen.push(refusal),
        enter: () => {},
        listeners: [],
        sawBatch: () => {},
      };
      const calls = [call("remove"), batch({ actions: [{ id: "x", tool: "double", args: { n: 1 } }] })];
      const { round, told, replies } = await run(calls, world, {
        watch: watch as unknown as NonNullable<Execution["watch"]>,
      });
      expect(told).toMatchObject([
        { index: 0, tool: "remove", status: "error", error: { code } },
        { index: 1, id: "x", tool: "double", status: "error", error: { code } },
      ]);
      expect(round.results.map((json) => JSON.parse(json) as Told)).toMatchObject(
        told.map(({ index, error }) => ({ index, error })),
      );
      if (code === "RATE_LIMITED") expect(told[0]!.error!.retry_after_ms).toBe(waitMs);
      expect(round.replies.map(({ failed, waits }) => [failed, waits])).toEqual([
        [true, []],
        [true, []],
      ]);
      expect(replies[0]).toMatchObject({ error: { hint: expect.any(String) } });
      expect(seen).toMatchObject([{ status: 200 }]);
    },
  );

  test("of a batch that cannot be planned say what is wrong with it, and what ran beside it has its own", async () => {
    const circle = batch({
      on_error: "fail-fast",
      actions: [
        { id: "a", tool: "double", depends_on: ["b"] },
        { id: "b", tool: "double", depends_on: ["a"] },
      ],
    });
    const { told, replies } = await run([call("double", { n: 2 }), circle]);
    expect(told.map(({ index, status, error }) => [index, status, error?.code])).toEqual([
      [0, "success", undefined],
      [1, "error", "INVALID_ACTION"],
      [2, "error", "INVALID_ACTION"],
    ]);
    expect(replies[0]).toEqual({ twice: 4 });
    expect(JSON.stringify(replies[1])).toContain("wait for each other");
  });
});

describe("A dry run among the calls of a round", () => {
  test("is answered with its plan, runs nothing, and has no results; its siblings run", async () => {
    const planned = batch({ dry_run: true, actions: [{ tool: "wait", args: { ms: 5_000 } }] });
    const { round, told, replies } = await run([planned, call("double", { n: 3 })]);
    expect(replies[0]).toMatchObject({ dry_run: true, plan: { waves: [["a0"]] } });
    expect(replies[1]).toEqual({ twice: 6 });
    expect(round.replies.map(({ failed, waits }) => [failed, waits])).toEqual([
      [false, []],
      [false, []],
    ]);
    expect(told.map(({ index, tool }) => [index, tool])).toEqual([[0, "double"]]);
    expect([round.results.length, round.durationMs]).toEqual([1, 0]);
  });

  test("that cannot be planned is a failed reply", async () => {
    const world = new TestWorld();
    world.gate.quotaAllowed = false;
    const { round, told } = await run([batch({ dry_run: true, actions: [{ tool: "double" }] })], world);
    expect(round.replies).toMatchObject([{ failed: true, waits: [] }]);
    expect(told).toMatchObject([{ index: 0, tool: "execute_actions", status: "error" }]);
  });
});

describe("The reply to a call", () => {
  test("of which too much was cut says so and how the rest can be had; one that fits is its data alone", async () => {
    const { round, replies } = await run([call("big"), call("double", { n: 1 })], new TestWorld(), {
      maxTokens: 300,
    });
    expect(replies[0]).toMatchObject({
      status: "success",
      meta: { truncated: expect.anything(), handle: expect.any(String) },
    });
    expect(JSON.stringify(replies[0]!["data"]).length).toBeLessThan(3_000);
    expect(replies[1]).toEqual({ twice: 2 });
    expect(round.replies.map(({ failed }) => failed)).toEqual([false, false]);
  });

  test("that is a batch is an envelope of its own, whatever ran beside it in the same batch", async () => {
    const { replies } = await run([
      call("double", { n: 1 }),
      batch({
        actions: [
          { id: "p", tool: "double", args: { n: 2 } },
          { id: "q", tool: "double", depends_on: ["p"], args: { n: 3 } },
        ],
      }),
    ]);
    expect(replies[1]).toMatchObject({
      results: [
        { index: 0, id: "p", data: { twice: 4 } },
        { index: 1, id: "q", data: { twice: 6 } },
      ],
      summary: { total: 2, ok: 2 },
    });
  });

  test("that waits for a person names the question and its action, and the round the questions", async () => {
    const { round } = await run([
      call("double", { n: 1 }),
      batch({ actions: [{ id: "gone", tool: "remove" }] }),
    ]);
    expect(round.replies[0]!.waits).toEqual([]);
    const { id } = round.questions[0]!;
    expect(round.replies[1]!.waits).toEqual([{ confirmation: id, action: "gone" }]);
  });

  test("that is late ends with the time that is left of the request", async () => {
    const world = new TestWorld();
    const { round, told } = await run([call("wait", { ms: 9_000 })], world, { leftMs: 400 });
    expect([round.durationMs, told[0]!.status]).toEqual([400, expect.stringMatching(/error|initiated/)]);
  });
});

describe("The ends of a round's calls are told apart", () => {
  const keysOf = async (...calls: ModelCall[]): Promise<string[]> =>
    [...(await run(calls)).round.calls].sort();

  test("by tool and arguments, not by id or the order of fields", async () => {
    const one = await keysOf(call("double", { n: 1, m: 2 }));
    expect(await keysOf(call("double", { m: 2, n: 1 }))).toEqual(one);
    expect(await keysOf(call("double", { n: 2, m: 1 }))).not.toEqual(one);
    expect(await keysOf(call("big", { n: 1, m: 2 }))).not.toEqual(one);
    expect(await keysOf(call("double", { n: 1 }), call("double", { n: 1 }))).toHaveLength(1);
  });

  test("action by action within a batch, whatever their ids and neighbours are", async () => {
    const action = { tool: "double", args: { n: 1 } };
    const one = await keysOf(batch({ actions: [{ id: "a", ...action }] }));
    const two = await keysOf(batch({ actions: [{ id: "b", ...action }, { tool: "big" }] }));
    expect(two).toEqual(expect.arrayContaining(one));
    expect([one.length, two.length]).toEqual([1, 2]);
  });

  test("as a whole where actions refer to each other; what could not be read is none", async () => {
    const referring = (id: string): ModelCall =>
      batch({
        actions: [
          { id, tool: "double", args: { n: 1 } },
          { tool: "double", args: { $ref: `${id}#` } },
        ],
      });
    expect(await keysOf(referring("a"))).toHaveLength(1);
    expect(await keysOf(referring("a"))).not.toEqual(await keysOf(referring("b")));
    const unread = { ...call("double"), args: err(makeFailure("INVALID_ARGS", { hint: "No JSON." })) };
    expect(await keysOf(unread)).toEqual([]);
  });
});
