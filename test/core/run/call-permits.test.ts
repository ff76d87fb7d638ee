import { describe, expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Orchestration } from "../../../src/core/contract/orchestration.ts";
import { execute } from "../../../src/core/run/execute/executor.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { TestWorld, type WireEnvelope, type WireResult } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { FakeUpstream } from "../../support/fake-upstream.ts";

const PAIR: Orchestration = { mode: "parallel-safe", global_concurrency: 2 };
const RATE: Orchestration = {
  mode: "parallel-safe",
  rate_limit: { limit: 2, window_s: 2, scope: "global" },
};
/** One that the deadline ends: it may not go on as a job. */
const WRITE = { isWrite: true, actions: ["create"], domain: "shared" } as const;
const RETRIED: Orchestration = { ...PAIR, backoff: { strategy: "exponential", initial_ms: 100 } };

/**
 * A world with one tool that sends a request and gives its answer; the upstream takes `ms` of the query, and counts for
 * itself. Batches run side by side, as isolates of their own would.
 */
class Shared {
  readonly world = new TestWorld();
  readonly tool: Tool;
  readonly epoch = this.world.clock.now();
  /** When each request arrived. */
  readonly arrived: number[] = [];
  active = 0;
  peak = 0;
  /** The upstream's answer to its n-th request. */
  answer: (n: number) => Response = () => Response.json("done");

  constructor(orchestration: Orchestration, declaration: Partial<ToolDeclaration> = {}) {
    this.tool = contractOf("shared", {
      timeoutMs: 1_000,
      hosts: ["up.example.com"],
      ...declaration,
      orchestration,
      run: async (args, ctx) =>
        (await ctx.fetch(`https://up.example.com/?ms=${(args as { ms: number }).ms}`)).json(),
    });
    const upstream = new FakeUpstream(async ({ url, signal }) => {
      this.arrived.push(this.world.clock.now() - this.epoch);
      const nth = this.arrived.length;
      this.active += 1;
      this.peak = Math.max(this.peak, this.active);
      const leave = (): void => void (this.active -= 1);
      signal.addEventListener("abort", leave, { once: true });
      await this.world.clock.sleep(Number(new URL(url).searchParams.get("ms")));
      signal.removeEventListener("abort", leave);
      if (!signal.aborted) leave();
      return this.answer(nth);
    });
    this.world.fetch = upstream.fetch;
  }

  /** Start a batch without letting time pass. */
  start(
    actions: readonly object[],
    fields: object = {},
    overrides: Partial<Execution> = {},
  ): Promise<readonly WireResult[]> {
    const batch = parseBatch({ actions, ...fields }, 1_000);
    if (!batch.ok) throw new Error(`Cannot start: ${batch.error.hint}`);
    return execute(batch.value, this.world.execution([this.tool], overrides)).then((answer) => {
      if (!answer.ok) throw new Error(`The batch was refused: ${answer.error.refusal.hint}`);
      return (JSON.parse(answer.value.json) as WireEnvelope).results;
    });
  }

  async run(...batches: readonly (readonly object[])[]): Promise<readonly WireResult[]> {
    const running = Promise.all(batches.map((actions) => this.start(actions)));
    return (await this.world.clock.runUntil(running)).flat();
  }

  get live(): number {
    return this.world.toolGates.liveOf("shared");
  }
}

let asked = 0;
/** A call that asks something of its own, so that none of a batch is another's. */
const call = (ms = 100): object => ({ tool: "shared", args: { ms, n: (asked += 1) } });
const calls = (count: number, ms = 100): object[] => Array.from({ length: count }, () => call(ms));
const allSucceeded = (results: readonly WireResult[]): void =>
  expect(results.map(({ status }) => status)).toEqual(results.map(() => "success"));

describe("a call of a tool with a global concurrency", () => {
  test("waits for those of every other batch, loops included", async () => {
    const shared = new Shared(PAIR);
    const loop = { tool: "shared", for_each: [1, 2, 3], args: { ms: 100, n: { $ref: "item#" } } };
    allSucceeded(await shared.run(calls(4), calls(3), [loop]));
    expect(shared.peak).toBe(2);
    expect(shared.arrived).toEqual([0, 0, 100, 100, 200, 200, 300, 300, 400, 400]);
    expect(shared.live).toBe(0);
  });

  test("waits off every clock: neither its timeout nor its duration runs", async () => {
    const shared = new Shared(PAIR, { timeoutMs: 150 });
    const results = await shared.run(calls(2), calls(2), calls(2));
    allSucceeded(results);
    expect(results.map(({ meta }) => [meta.duration_ms, meta.queued_ms])).toEqual([
      [100, 0],
      [100, 0],
      [100, 100],
      [100, 100],
      [100, 200],
      [100, 200],
    ]);
  });

  test("asks for no more permits at once than there are, and for as long as it may take and a margin", async () => {
    const shared = new Shared(PAIR);
    const running = shared.start(calls(10));
    await shared.world.clock.advance(1);
    const { asked } = shared.world.toolGates;
    expect(asked).toHaveLength(2);
    expect(asked[0]!.request).toMatchObject({
      limits: { concurrency: 2, rate: null },
      waitMs: LIMITS.deadlineMs,
      holdMs: 1_000 + LIMITS.permitMarginMs,
    });
    allSucceeded(await shared.world.clock.runUntil(running));
  });

  test("ends at the batch's deadline, gives its place up, and has sent nothing", async () => {
    const shared = new Shared(PAIR, WRITE);
    const busy = Promise.all([1, 2].map(() => shared.start([call(900)]))).then((batches) => batches.flat());
    const [late] = await shared.world.clock.runUntil(shared.start([call()], { deadline_ms: 300 }));
    expect(late).toMatchObject({ status: "error", error: { code: "DEADLINE_EXCEEDED" } });
    allSucceeded(await shared.world.clock.runUntil(busy));
    expect(shared.arrived).toEqual([0, 0]);
    expect(shared.live).toBe(0);
  });

  test("has not started while it waits: under fail-fast it is skipped", async () => {
    const shared = new Shared(PAIR);
    const busy = shared.start(calls(2, 900));
    const fails = { id: "bad", tool: "bad", args: {} };
    const bad = contractOf("bad", {
      run: () => shared.world.clock.sleep(50).then(() => Promise.reject(new Error("broken"))),
    });
    const batch = parseBatch({ actions: [fails, call()], on_error: "fail-fast" }, 1_000);
    if (!batch.ok) throw new Error("Cannot start");
    const { catalog } = shared.world.execution([shared.tool, bad]);
    const running = shared.start([fails, call()], { on_error: "fail-fast" }, { catalog });
    const results = await shared.world.clock.runUntil(running);
    expect(results[1]).toMatchObject({ status: "skipped", because: "bad", error: { code: "ABORTED" } });
    allSucceeded(await shared.world.clock.runUntil(busy));
    expect(shared.arrived).toHaveLength(2);
  });

  test("gives its permit back when its caller goes away", async () => {
    const shared = new Shared(PAIR);
    const gone = new AbortController();
    const left = shared.start(calls(3, 900), {}, { signal: gone.signal });
    await shared.world.clock.advance(10);
    expect(shared.live).toBe(2);
    gone.abort();
    const results = await shared.world.clock.runUntil(left);
    expect(results.map(({ error }) => error?.code)).toEqual(["CANCELLED", "CANCELLED", "CANCELLED"]);
    expect(shared.live).toBe(0);
    // Someone has to be there to say so: the batch is kept alive until then.
    expect(shared.world.deferred).not.toEqual([]);
  });

  test("gives a permit back that comes after it left", async () => {
    const shared = new Shared(PAIR, WRITE);
    shared.world.toolGates.wayMs = 500;
    const [result] = await shared.world.clock.runUntil(shared.start([call()], { deadline_ms: 300 }));
    expect(result?.error?.code).toBe("DEADLINE_EXCEEDED");
    await shared.world.clock.advance(1_000);
    expect([shared.live, shared.arrived]).toEqual([0, []]);
  });

  test("sends nothing under a permit that took so long to arrive that it may be over", async () => {
    const shared = new Shared(PAIR);
    shared.world.toolGates.wayMs = 1_000 + LIMITS.permitMarginMs;
    const [result] = await shared.run([call()]);
    expect(result).toMatchObject({ status: "error", error: { code: "OVERLOADED", retryable: true } });
    expect(shared.arrived).toEqual([]);
  });

  test("never outlives its permit, not even when it has to wait for a header slot", async () => {
    const shared = new Shared(PAIR);
    const slow = contractOf("slow", {
      timeoutMs: 20_000,
      hosts: ["up.example.com"],
      run: (args, ctx) => shared.tool.run(args, ctx),
    });
    const { catalog, options } = shared.world.execution([shared.tool, slow]);
    // One request at a time may wait for headers, and the first takes them for nine seconds.
    const actions = [{ tool: "slow", args: { ms: 9_000 } }, call(500)];
    const running = shared.start(actions, {}, { catalog, options: { ...options, headerSlots: 1 } });
    const [, result] = await shared.world.clock.runUntil(running);
    expect(result).toMatchObject({ status: "error", error: { code: "OVERLOADED", retryable: true } });
    expect(shared.arrived).toEqual([0]);
    expect(shared.live).toBe(0);
  });

  test.each([
    ["a read", {}],
    ["a write", { isWrite: true }],
  ])("%s is refused, and nothing sent, when the gate cannot be asked", async (_, declaration) => {
    const shared = new Shared(PAIR, declaration);
    shared.world.toolGates.down = true;
    const [result] = await shared.run([call()]);
    expect(result).toMatchObject({
      status: "error",
      error: { code: "OVERLOADED", retryable: true, hint: expect.stringContaining("nothing was sent") },
    });
    expect(shared.arrived).toEqual([]);
  });
});

describe("an attempt of its own", () => {
  const unavailable = (headers: Record<string, string> = {}): Response =>
    new Response(null, { status: 503, headers });

  test("has a permit of its own, and holds no place in the pause before it", async () => {
    const shared = new Shared(RETRIED);
    shared.answer = (n) => (n <= 2 ? unavailable() : Response.json("done"));
    const results = await shared.run(calls(2, 20), calls(2, 20));
    allSucceeded(results);
    expect(shared.world.toolGates.asked).toHaveLength(6);
    // The others go in the pause of the first two.
    expect(shared.arrived.slice(0, 4)).toEqual([0, 0, 20, 20]);
    expect(shared.live).toBe(0);
  });

  test("waits behind the upstream's Retry-After, and so does everyone else", async () => {
    const shared = new Shared(RETRIED, { timeoutMs: 5_000 });
    shared.answer = (n) => (n === 1 ? unavailable({ "retry-after": "1" }) : Response.json("done"));
    const first = shared.start([call(20)]);
    await shared.world.clock.advance(50);
    const [other] = await shared.world.clock.runUntil(shared.start([call(20)]));
    expect(other).toMatchObject({ status: "success", meta: { queued_ms: 970, duration_ms: 20 } });
    allSucceeded(await shared.world.clock.runUntil(first));
    expect(Math.min(...shared.arrived.slice(1))).toBe(1_020);
  });

  test("waits off the call's clock: the wait is queued, and neither work nor time out", async () => {
    const shared = new Shared(RETRIED, { timeoutMs: 700 });
    shared.answer = (n) => (n === 1 ? unavailable() : Response.json("done"));
    const retried = shared.start([call(20)]);
    await shared.world.clock.advance(21);
    const busy = shared.start(calls(2, 690));
    const [result] = await shared.world.clock.runUntil(retried);
    allSucceeded(await shared.world.clock.runUntil(busy));
    const { duration_ms, queued_ms, attempts } = result!.meta;
    // The pause before the second attempt is work, the wait for its permit is not.
    expect([attempts, duration_ms! + queued_ms!]).toEqual([2, 21 + 690 + 20]);
    expect(queued_ms).toBeGreaterThan(500);
    expect(duration_ms).toBeLessThan(200);
  });

  test("is not made when there is no permit for it in time: the failure before it stands", async () => {
    const shared = new Shared(
      { ...RETRIED, rate_limit: { limit: 1, window_s: 60, scope: "global" } },
      { timeoutMs: 5_000 },
    );
    shared.answer = () => unavailable();
    const [result] = await shared.run([call(20)]);
    expect(result).toMatchObject({
      error: { code: "UPSTREAM_ERROR", upstream_status: 503 },
      meta: { attempts: 1 },
    });
    expect(shared.arrived).toEqual([0]);
  });

  test("can be stopped while it waits for its permit", async () => {
    const shared = new Shared(RETRIED, { timeoutMs: 5_000 });
    shared.answer = (n) => (n === 1 ? unavailable() : Response.json("done"));
    const gone = new AbortController();
    const retried = shared.start([call(20)], {}, { signal: gone.signal });
    await shared.world.clock.advance(21);
    const busy = shared.start(calls(2, 900));
    await shared.world.clock.advance(479);
    gone.abort();
    const [result] = await shared.world.clock.runUntil(retried);
    expect(result).toMatchObject({ status: "error", meta: { attempts: 1 } });
    allSucceeded(await shared.world.clock.runUntil(busy));
    expect(shared.live).toBe(0);
  });
});

describe("a call of a tool with a global rate", () => {
  test("waits for the rate as long as the batch does, and is told at once when that is not long enough", async () => {
    const shared = new Shared(RATE);
    const results = await shared.world.clock.runUntil(shared.start(calls(5, 0), { deadline_ms: 2_500 }));
    expect(results.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "success",
      "success",
      "error",
    ]);
    expect(results[4]!.error).toMatchObject({ code: "RATE_LIMITED", retry_after_ms: 3_000, retryable: true });
    expect(shared.arrived).toEqual([0, 0, 1_000, 2_000]);
  });

  test("draws nothing from the tenant's bucket, in loops as little", async () => {
    const shared = new Shared(RATE);
    await shared.run([call(0), { tool: "shared", for_each: [1], args: { ms: 0 } }]);
    expect(shared.world.gate.requests.map(({ draws }) => draws)).toEqual([[]]);
  });

  test("gives nothing back: a message less", async () => {
    const shared = new Shared(RATE);
    await shared.run([call(0)]);
    expect(shared.world.toolGates.released).toEqual([]);
  });

  test("says so when the upstream asked to be left alone", async () => {
    const shared = new Shared(RATE);
    shared.answer = () => new Response(null, { status: 429, headers: { "retry-after": "7" } });
    await shared.run([call(0)]);
    expect(shared.world.toolGates.released).toMatchObject([{ tool: "shared", retryAfterMs: 7_000 }]);
  });
});

describe("a call that gets no permit", () => {
  test.each([
    ["rate", 3_000, { code: "RATE_LIMITED", retry_after_ms: 3_000 }],
    ["paused", 3_000, { code: "RATE_LIMITED", retry_after_ms: 3_000 }],
    ["busy", 3_000, { code: "OVERLOADED", retry_after_ms: 3_000 }],
    ["busy", null, { code: "OVERLOADED" }],
    ["full", null, { code: "OVERLOADED" }],
  ] as const)("because of %s, %s ms, is told whose fault it is and when to try again", async (...row) => {
    const [reason, retryAfterMs, expected] = row;
    const shared = new Shared(PAIR);
    const { clock, toolGates } = shared.world;
    toolGates.acquire = () => clock.sleep(40).then(() => ({ granted: false, reason, retryAfterMs }));
    const [result] = await shared.run([call()]);
    expect(result).toMatchObject({ status: "error", error: expected, meta: { queued_ms: 40 } });
    expect(result!.error).toHaveProperty("hint", expect.stringContaining("try this action again"));
    expect("retry_after_ms" in result!.error!).toBe("retry_after_ms" in expected);
    expect([shared.arrived, toolGates.released]).toEqual([[], []]);
  });

  test.each([
    [
      "rate",
      "This tool's rate limit, which all callers share, has no room in time; try this action again in 3000 ms.",
    ],
    ["paused", "The service asked all callers to wait; try this action again in 3000 ms."],
    [
      "busy",
      "At most 2 calls of this tool run at once for all callers, and none ended in time; try this action again in 3000 ms.",
    ],
  ] as const)("because of %s says how long from now, in whole milliseconds", async (reason, hint) => {
    const shared = new Shared(PAIR);
    const { toolGates } = shared.world;
    toolGates.acquire = async () => ({ granted: false, reason, retryAfterMs: 2_999.5 });
    expect((await shared.run([call()]))[0]!.error).toMatchObject({ hint });
    toolGates.acquire = async () => ({ granted: false, reason, retryAfterMs: null });
    const later = hint.replace("in 3000 ms", "later");
    expect((await shared.run([call()]))[0]!.error).toMatchObject({ hint: later });
  });

  test("because it was stopped leaves the queue at once, and only once", async () => {
    const shared = new Shared(PAIR);
    const busy = shared.start(calls(2, 900));
    const gone = new AbortController();
    const late = shared.start([call()], {}, { signal: gone.signal });
    await shared.world.clock.advance(100);
    gone.abort();
    const [result] = await shared.world.clock.runUntil(late);
    expect(result).toMatchObject({ error: { code: "CANCELLED" } });
    const { asked, released } = shared.world.toolGates;
    expect(released).toEqual([{ tool: "shared", id: asked[2]!.request.id, retryAfterMs: null }]);
    allSucceeded(await shared.world.clock.runUntil(busy));
  });
});

test("a tool without global limits asks no gate", async () => {
  const shared = new Shared({
    mode: "parallel-safe",
    rate_limit: { limit: 9, window_s: 9, scope: "tenant" },
  });
  shared.world.toolGates.down = true;
  allSucceeded(await shared.run(calls(3)));
  expect(shared.world.toolGates.asked).toEqual([]);
});
