import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { runToolCalls, type TurnOptions } from "../../src/turns/run-tool-calls.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { IsolateBytes } from "../../src/core/egress/isolate-bytes.ts";
import { makeFailure } from "../../src/core/contract/failure.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import type { Execution } from "../../src/core/gate/execution.ts";
import type { ProviderCall, ToolReply } from "../../src/turns/read-turn.ts";
import { err, ok } from "../../src/core/kit/result.ts";
import { TestWorld, type WireEnvelope } from "../support/execute-batch.ts";
import { contractOf } from "../support/fake-actions.ts";
import { KeyedWorld } from "../support/keyed-world.ts";
import { valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

const double = contractOf("double", { run: async (args) => ({ twice: 2 * (args as { n: number }).n }) });
const broken = contractOf("broken", { run: () => Promise.reject(new Error("boom")) });
const later = contractOf("later", {
  isWrite: true,
  execution: "fire-and-forget",
  run: async () => ({ done: true }),
});
const TOOLS = [double, broken, later];

const call = (name: string, args: object = {}): ProviderCall => ({ name, args: ok({ ...args }) });
const batch = (...actions: object[]): ProviderCall => call("execute_actions", { actions });
const doubled = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ tool: "double", args: { n } }));

async function run(
  calls: readonly ProviderCall[],
  world = new TestWorld(),
  onReply?: TurnOptions["onReply"],
  tools: readonly Tool[] = TOOLS,
) {
  const options = { bodyBytes: 1_000, copies: 1, ...(onReply && { onReply }) };
  return world.clock.runUntil(runToolCalls(calls, world.execution(tools), options));
}

async function repliesTo(calls: readonly ProviderCall[], world = new TestWorld()) {
  const { replies } = valueOf(await run(calls, world));
  return replies.map(({ json, failed }) => ({ said: JSON.parse(json) as unknown, failed }));
}

describe("A turn", () => {
  test("has one reply for every call, in the order of the calls", async () => {
    expect(
      await repliesTo([
        call("double", { n: 1 }),
        call("broken"),
        call("later"),
        call("nothing"),
        { name: "double", args: err(makeFailure("INVALID_ARGS", { hint: "Broken." })) },
        call("double", { n: 2 }),
      ]),
    ).toMatchObject([
      { said: { twice: 2 }, failed: false },
      { said: { status: "error", error: { code: "TOOL_FAILED" } }, failed: true },
      { said: { status: "initiated", job_id: expect.any(String) }, failed: false },
      { said: { status: "error", error: { code: "UNKNOWN_TOOL" } }, failed: true },
      { said: { status: "error", error: { code: "INVALID_ARGS", hint: "Broken." } }, failed: true },
      { said: { twice: 4 }, failed: false },
    ]);
  });

  test("of single calls is one batch, admitted once", async () => {
    const world = new TestWorld();
    await run([call("double", { n: 1 }), call("double", { n: 2 }), call("broken")], world);
    expect(world.gate.requests).toHaveLength(1);
  });

  test("tells a model that put a batch into a batch, or called one through another tool, where its actions belong", async () => {
    const nested = { tool: "execute_actions", args: { actions: doubled(2) } };
    const invoked = { tool_name: "execute_actions", parameters: { actions: doubled(2) } };
    const [inside, through] = await repliesTo([
      batch(nested, ...doubled(1), { tool: "invoke_tool", args: invoked }),
      call("invoke_tool", invoked),
    ]);

    const unknown = {
      code: "UNKNOWN_TOOL",
      hint: expect.stringContaining("Inside a batch, put its actions into the batch's own list."),
    };
    const { results } = inside!.said as WireEnvelope;
    expect(results).toMatchObject([{ error: unknown }, { status: "success" }, { error: unknown }]);
    expect(through).toMatchObject({ said: { error: unknown }, failed: true });
  });

  test("may carry whole batches beside single calls", async () => {
    const replies = await repliesTo([
      batch(...doubled(2), { tool: "broken" }),
      call("double", { n: 5 }),
      batch(),
    ]);

    const envelope = replies[0]!.said as WireEnvelope;
    expect(envelope.summary).toMatchObject({ total: 3, ok: 2, error: 1 });
    // An action that failed is said inside; the call itself did what it was asked.
    expect(replies[0]!.failed).toBe(false);
    expect(replies[1]).toEqual({ said: { twice: 10 }, failed: false });
    expect(replies[2]).toMatchObject({
      said: {
        status: "error",
        error: {
          code: "INVALID_BATCH",
          message: "The batch is not well formed.",
          hint: expect.stringMatching(/^\/actions must be /),
          path: "/actions",
        },
      },
      failed: true,
    });
  });

  test("of a batch whose arguments are broken has that failure for a reply", async () => {
    const failure = makeFailure("INVALID_ARGS", { hint: "The JSON ends too early." });
    expect(await repliesTo([{ name: "execute_actions", args: err(failure) }])).toMatchObject([
      { said: { error: { code: "INVALID_ARGS" } }, failed: true },
    ]);
  });

  test("runs as many actions as one batch may, by whichever provider they are asked for", async () => {
    const half = LIMITS.actions / 2;
    const replies = await repliesTo([
      batch(...doubled(half)),
      batch(...doubled(half)),
      batch(...doubled(half)),
      call("double", { n: 1 }),
    ]);
    expect(replies.map(({ failed }) => failed)).toEqual([false, true, true, false]);
    expect(replies[1]!.said).toMatchObject({ error: { code: "INVALID_BATCH" } });
  });

  test("of too many calls is refused whole", async () => {
    const world = new TestWorld();
    const ran = await run(
      Array.from({ length: LIMITS.actions + 1 }, () => call("double", { n: 1 })),
      world,
    );
    expect(ran).toMatchObject({ ok: false, error: { refusal: { code: "INVALID_BATCH" } } });
    expect(world.gate.requests).toHaveLength(0);
  });

  test("says when to send the batch again that there was no quota left for", async () => {
    const world = new TestWorld();
    world.gate.beforeAnswer = async () => {
      const isFirst = world.gate.requests.length === 1;
      // Both are on their way at once: the second is answered after the first.
      if (!isFirst) await world.clock.sleep(1);
      world.gate.quotaAllowed = isFirst;
    };
    const [single, whole] = await repliesTo([call("double", { n: 1 }), batch(...doubled(1))], world);
    expect(single).toEqual({ said: { twice: 2 }, failed: false });
    expect(whole).toMatchObject({
      said: { error: { code: "QUOTA_EXCEEDED", retry_after_ms: 1_500, hint: expect.any(String) } },
      failed: true,
    });
  });

  test("without quota is refused whole, and nothing runs", async () => {
    const world = new TestWorld();
    world.gate.quotaAllowed = false;
    const ran = await run([call("double", { n: 1 }), batch(...doubled(1))], world);
    expect(ran).toMatchObject({ ok: false, error: { refusal: { code: "QUOTA_EXCEEDED" } } });
  });

  test("without calls has no replies and asks no gate", async () => {
    const world = new TestWorld();
    expect(valueOf(await run([], world))).toEqual({ replies: [], quota: null, replayed: false });
    expect(world.gate.requests).toHaveLength(0);
  });
});

describe("The replies of a turn are told one by one", () => {
  /** A turn's replies as they were told, and when; checked against those at its end. */
  async function tellOf(calls: readonly ProviderCall[], world = new TestWorld()) {
    const wait = contractOf("wait", {
      input: z.object({ ms: z.number() }),
      run: async (args) => {
        await world.clock.sleep((args as { ms: number }).ms);
        return args;
      },
    });
    const startedAt = world.clock.now();
    const told: { atMs: number; position: number; reply: ToolReply }[] = [];
    const ran = await run(
      calls,
      world,
      (position, reply) => told.push({ atMs: world.clock.now() - startedAt, position, reply }),
      [...TOOLS, wait],
    );
    const { replies } = valueOf(ran);
    const byPosition = told.toSorted((a, b) => a.position - b.position);
    expect(byPosition.map(({ position }) => position)).toEqual(calls.map((_, position) => position));
    expect(byPosition.map(({ reply }) => reply)).toEqual(replies);
    return told.map(({ atMs, position }) => [atMs, position]);
  }

  test("each the moment it is known, a batch's when the batch is over", async () => {
    const broken: ProviderCall = {
      name: "execute_actions",
      args: err(makeFailure("INVALID_ARGS", { hint: "Broken." })),
    };
    const told = await tellOf([
      call("wait", { ms: 90 }),
      batch({ tool: "wait", args: { ms: 20 } }, { tool: "wait", args: { ms: 60 } }),
      call("wait", { ms: 30 }),
      call("nothing"),
      broken,
    ]);
    expect(told).toEqual([
      [0, 4],
      [0, 3],
      [30, 2],
      [60, 1],
      [90, 0],
    ]);
  });

  test("that of a batch without quota beside one that has some as well", async () => {
    const world = new TestWorld();
    world.gate.beforeAnswer = async () => {
      const isFirst = world.gate.requests.length === 1;
      await world.clock.sleep(isFirst ? 1 : 2);
      world.gate.quotaAllowed = isFirst;
    };
    // A turn's single calls are admitted together, before the batches it carries.
    const told = await tellOf([batch({ tool: "wait", args: { ms: 5 } }), call("wait", { ms: 10 })], world);
    expect(told).toEqual([
      [2, 0],
      [11, 1],
    ]);
  });

  trial("exactly once, and as in the answer, whatever the calls are", async () => {
    const calls = fc.array(
      fc.oneof(
        fc.record({ ms: fc.integer({ min: -1, max: 50 }) }).map((args) => call("wait", args)),
        fc.constantFrom(call("broken"), call("later"), call("nothing"), call("double", { n: 1 }), batch()),
        fc
          .array(fc.constantFrom({ tool: "wait", args: { ms: 7 } }, { tool: "broken" }), { minLength: 1 })
          .map((actions) => batch(...actions)),
      ),
      { maxLength: 12 },
    );
    await fc.assert(fc.asyncProperty(calls, (some) => tellOf(some).then(() => {})));
  });
});

describe("A turn under an idempotency key", () => {
  const key = { batchKey: { key: "turn-1", content: { turn: 1 } } };

  async function send(world: KeyedWorld, calls: readonly ProviderCall[]) {
    const told: number[] = [];
    const tools = [world.tool("write", { isWrite: true, actions: ["create"] }), double];
    const options = { bodyBytes: 1_000, copies: 1, onReply: (position: number) => void told.push(position) };
    const ran = await world.clock.runUntil(runToolCalls(calls, world.execution(tools, key), options));
    return { ran, told: told.toSorted((a, b) => a - b) };
  }
  const TURN = [
    call("write"),
    batch({ tool: "write" }),
    batch({ tool: "write" }, { tool: "double", args: { n: 1 } }),
  ];

  test("runs once, and is answered again with the same replies, each told", async () => {
    const world = new KeyedWorld();
    const first = await send(world, TURN);
    expect(valueOf(first.ran)).toMatchObject({ replayed: false, replies: { length: 3 } });
    const again = await send(world, TURN);
    expect(world.calls).toHaveLength(3);
    expect(new Set(world.calls.map(({ key }) => key)).size).toBe(3);
    expect(valueOf(again.ran)).toEqual({ ...valueOf(first.ran), replayed: true, quota: null });
    expect([first.told, again.told]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  test("has a key of its own for each batch of it, the first the turn's", async () => {
    const world = new KeyedWorld();
    await send(world, TURN);
    expect([...world.records.keys()].toSorted()).toEqual([
      "batch 1:turn-1",
      "batch 2:turn-1",
      "batch:turn-1",
    ]);
  });

  test("is refused whole where the key is another turn's, and nothing of it runs", async () => {
    const world = new KeyedWorld();
    await send(world, TURN);
    world.calls.length = 0;
    const options = { bodyBytes: 1_000, copies: 1 };
    const other = { batchKey: { key: "turn-1", content: { turn: 2 } } };
    const tools = [world.tool("write", { isWrite: true, actions: ["create"] }), double];
    const ran = await world.clock.runUntil(runToolCalls(TURN, world.execution(tools, other), options));
    expect(ran).toMatchObject({
      ok: false,
      error: { refusal: { code: expect.stringContaining("IDEMPOTENCY") } },
    });
    expect(world.calls).toEqual([]);
  });

  test("goes on with its next batch where the first cannot be planned, under its own key", async () => {
    const world = new KeyedWorld();
    const circle = batch(
      { id: "a", tool: "write", depends_on: ["b"] },
      { id: "b", tool: "write", depends_on: ["a"] },
    );
    const { ran, told } = await send(world, [circle, batch({ tool: "write" })]);
    expect(valueOf(ran).replies.map(({ failed }) => failed)).toEqual([true, false]);
    expect([told, world.calls.length]).toEqual([[0, 1], 1]);
    expect([...world.records.keys()]).toEqual(["batch 1:turn-1"]);
  });

  test("says of a batch for which the gate does not answer that its write may have happened, and that its read did not", async () => {
    const world = new KeyedWorld();
    const calls = [call("write"), batch({ tool: "write" }), batch(...doubled(1))];
    await send(world, calls);
    world.gate.beforeAnswer = async ({ idempotency }) => {
      if (idempotency?.batch?.key !== "batch:turn-1") throw new Error("The gate is down");
    };
    const { replies } = valueOf((await send(world, calls)).ran);
    expect(replies.map(({ json }) => JSON.parse(json) as unknown)).toMatchObject([
      { from: "write" },
      { status: "unknown", in_doubt: true, error: { code: "UNAVAILABLE" } },
      { status: "error", error: { code: "UNAVAILABLE" } },
    ]);
    expect(world.calls).toHaveLength(2);
    world.gate.down = true;
    world.gate.beforeAnswer = () => Promise.resolve();
    expect((await send(world, calls)).ran).toMatchObject({
      ok: false,
      error: { refusal: { code: "UNAVAILABLE" } },
    });
  });

  test("without quota is refused whole, and holds no key", async () => {
    const world = new KeyedWorld();
    world.gate.quotaAllowed = false;
    const { ran } = await send(world, TURN);
    expect(ran).toMatchObject({ ok: false, error: { refusal: { code: "QUOTA_EXCEEDED" } } });
  });
});

test("A batch of a turn that cannot be planned is a refusal that the operator sees, and its siblings run", async () => {
  const seen: unknown[] = [];
  const world = new TestWorld();
  const watch = {
    sawRefusal: (refusal: unknown) => void seen.push(refusal),
    enter: () => {},
    listeners: [],
    sawBatch: () => {},
  };
  const circle = batch(
    { id: "a", tool: "double", depends_on: ["b"] },
    { id: "b", tool: "double", depends_on: ["a"] },
  );
  const execution = world.execution(TOOLS, { watch: watch as unknown as NonNullable<Execution["watch"]> });
  const ran = await world.clock.runUntil(
    runToolCalls([circle, call("double", { n: 2 })], execution, { bodyBytes: 1_000, copies: 1 }),
  );
  expect(valueOf(ran).replies.map(({ failed }) => failed)).toEqual([true, false]);
  expect(valueOf(ran)).toMatchObject({ replayed: false, quota: { remaining: 99 } });
  expect(seen).toEqual([{ code: "INVALID_BATCH", status: 200 }]);
});

test("A turn holds its isolate's bytes until its replies are written, and none after", async () => {
  const world = new TestWorld();
  world.fetch = async () => Response.json("x".repeat(1_000_000));
  const read = contractOf("read", {
    hosts: ["upstream.example"],
    run: async (_, ctx) => (await ctx.fetch("https://upstream.example/")).json(),
  });
  const isolate = new IsolateBytes(world.clock);
  const held: number[] = [];
  const options = { bodyBytes: 1_000, copies: 1, onReply: () => void held.push(isolate.held) };
  const share = () => isolate.open("acme", world.clock);
  const context = world.execution([read], { upstreams: { ...world.execution([]).upstreams, share } });
  await world.clock.runUntil(runToolCalls([call("read")], context, options));
  expect(held).toEqual([expect.any(Number)]);
  expect(held[0]).toBeGreaterThan(0);
  expect(isolate.held).toBe(0);
});

test("T44 a turn whose reader is waited for holds its isolate's bytes until its answer has been read", async () => {
  const world = new TestWorld();
  world.fetch = async () => Response.json("x".repeat(1_000_000));
  const read = contractOf("read", {
    hosts: ["upstream.example"],
    run: async (_, ctx) => (await ctx.fetch("https://upstream.example/")).json(),
  });
  const isolate = new IsolateBytes(world.clock);
  const gives: (() => void)[] = [];
  const context = world.execution([read], {
    upstreams: { ...world.execution([]).upstreams, share: () => isolate.open("acme", world.clock) },
    listener: { onWritten: (give) => void gives.push(give) },
  });
  await world.clock.runUntil(runToolCalls([call("read")], context, { bodyBytes: 1_000, copies: 1 }));
  expect(isolate.heldBy("acme")).toBeGreaterThan(900_000);
  for (const give of gives) give();
  expect(isolate.held).toBe(0);
});
