import { describe, expect, test } from "vitest";

import type { Tool, ToolContext } from "../../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import type { KeptStep } from "../../../../src/features/flows/flow-run.ts";
import type { JobClaim } from "../../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as FLOWS_LIMITS from "../../../../src/features/flows/limits.ts";
import { type RunEnd, runJob } from "../../../../src/features/flows/run/run-job.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { toRunnable } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { trial } from "../../../support/trial.ts";

const JOB = "0f0f0f0f-0000-4000-8000-00000000abcd";
const SEED = "aaaaaaaa-0000-4000-8000-000000000000";

const SPEC: JobClaim["spec"] = {
  id: JOB,
  tool: "flow",
  argsJson: "{}",
  idempotencyKey: SEED,
  maxAttempts: 5,
  backoffInitialMs: 1,
  delivery: "at-least-once",
};

/** The requests to an upstream, and whether it answers: each tool counts the calls that reached it. */
class Upstream {
  readonly calls: string[] = [];
  readonly keys: string[] = [];
  readonly down = new Set<string>();
  /** Never answered: their callers are cut off. */
  readonly silent = new Set<string>();
  /** Answered when these are over. */
  readonly held = new Map<string, Promise<void>>();

  tool(name: string, declared: Parameters<typeof contractOf>[1] = {}): Tool {
    return contractOf(name, {
      ...declared,
      run: async (args: unknown, { idempotencyKey }: ToolContext) => {
        this.calls.push(name);
        this.keys.push(idempotencyKey);
        if (this.silent.has(name)) return new Promise(() => {});
        await this.held.get(name);
        if (this.down.has(name)) throw new ToolFailure("UPSTREAM_ERROR", { retryable: true });
        return { from: name, args };
      },
    });
  }

  count(name: string): number {
    return this.calls.filter((call) => call === name).length;
  }
}

/** The claim of an attempt of a run. */
function claimOf(fence = 1): JobClaim {
  const spec: JobClaim["spec"] = {
    id: JOB,
    tool: "flow",
    argsJson: '{"n":1}',
    idempotencyKey: SEED,
    maxAttempts: 5,
    backoffInitialMs: 1_000,
    delivery: "at-least-once",
    run: { trigger: "webhook", deadlineMs: 15_000 },
  };
  return { spec, attempt: fence, fence };
}

/** A flow of these actions, with no answer. */
function flowOf(actions: readonly object[]): Tool {
  return {
    ...contractOf("flow", { isWrite: true }),
    inner: toRunnable({ batch: valueOf(parseBatch({ actions }, 1_000)), answer: undefined, tools: ["*"] }),
  };
}

const WRITE = { isWrite: true, actions: ["create"], orchestration: { mode: "sequential-only" } } as const;

function setUp(
  actions: readonly object[],
  { answer, ...batch }: { answer?: unknown; on_error?: string } = {},
) {
  const world = new TestWorld();
  const upstream = new Upstream();
  const tools = [
    upstream.tool("read"),
    upstream.tool("other"),
    // Whether it happened twice cannot be told from its answer, so it must not be sent twice.
    upstream.tool("once", { ...WRITE, idempotent: false }),
    upstream.tool("keyed", { ...WRITE, domain: "keyed", idempotent: "with-key" }),
    upstream.tool("later", { ...WRITE, domain: "later", execution: "fire-and-forget" }),
    upstream.tool("asks", {
      ...WRITE,
      domain: "asks",
      orchestration: { mode: "sequential-only", confirm: "always" },
    }),
  ];
  const flow: Tool = {
    ...contractOf("flow", { isWrite: true, orchestration: { mode: "sequential-only", confirm: "always" } }),
    inner: toRunnable({ batch: valueOf(parseBatch({ actions, ...batch }, 1_000)), answer, tools: ["*"] }),
  };
  const begin = (): Promise<RunEnd> => runJob(claimOf(world.gate.runFence), flow, world.execution(tools));
  return {
    world,
    upstream,
    begin,
    /** Make an attempt, and keep what it leaves as the object does. */
    attempt: async (): Promise<RunEnd> => {
      const ended = await world.clock.runUntil(begin());
      // Work in the background ends, or is cut.
      await world.clock.runUntil(world.clock.sleep(LIMITS.firstAttemptMs));
      world.gate.runFence += 1;
      const kept = world.gate.stepsOf(JOB);
      kept.clear();
      for (const { id, outcomeJson } of ended.report?.steps ?? []) kept.set(id, outcomeJson);
      return ended;
    },
    /** Make an attempt that is killed once it waits for this tool. */
    killAt: async (tool: string): Promise<void> => {
      upstream.silent.add(tool);
      void begin();
      await world.clock.runUntil(world.clock.sleep(100));
      upstream.silent.delete(tool);
      world.gate.runFence += 1;
    },
  };
}

const answerWith = (status: number): Promise<Response> => Promise.resolve(Response.json({}, { status }));

/** A run of a write `w` that is one request, whose answers are these, and of what else it does. */
function setUpHttp(
  declared: { readonly idempotent: boolean | "with-key" },
  answers: (() => Promise<Response>)[],
  others: readonly object[] = [],
) {
  const world = new TestWorld();
  const keys: string[] = [];
  world.fetch = () => answers.shift()!();
  const write = contractOf("write", {
    ...WRITE,
    ...declared,
    hosts: ["api.example.com"],
    run: async (_: unknown, ctx: ToolContext) => {
      keys.push(ctx.idempotencyKey);
      await ctx.fetch("https://api.example.com/", { method: "POST" });
      return {};
    },
  });
  let failures = 1;
  const flaky = contractOf("flaky", {
    run: async () => {
      if ((failures -= 1) >= 0) throw new ToolFailure("UPSTREAM_ERROR", { retryable: true });
      return {};
    },
  });
  const batch = valueOf(parseBatch({ actions: [{ id: "w", tool: "write" }, ...others] }, 1_000));
  const flow: Tool = {
    ...contractOf("flow", { isWrite: true }),
    inner: toRunnable({ batch, answer: undefined, tools: ["*"] }),
  };
  const attempt = async (): Promise<RunEnd> => {
    const fence = world.gate.runFence;
    const ended = await world.clock.runUntil(
      runJob({ spec: SPEC, attempt: fence, fence }, flow, world.execution([write, flaky])),
    );
    world.gate.runFence += 1;
    const kept = world.gate.stepsOf(JOB);
    kept.clear();
    for (const { id, outcomeJson } of ended.report!.steps) kept.set(id, outcomeJson);
    return ended;
  };
  return { attempt, keys };
}

const envelopeOf = ({ report }: RunEnd): WireEnvelope => JSON.parse(report!.envelopeJson) as WireEnvelope;
const statuses = (ended: RunEnd): string[] => envelopeOf(ended).results.map(({ status }) => status);

describe("A run", () => {
  test("ends with the answer as its data, and leaves the envelope", async () => {
    const { attempt } = setUp([{ id: "a", tool: "read", args: { n: { $ref: "input#/n" } } }], {
      answer: { said: { $ref: "a#/args/n" } },
    });
    const ended = await attempt();
    expect(ended.end).toEqual({ kind: "succeeded", dataJson: '{"said":1}' });
    expect(envelopeOf(ended)).toMatchObject({
      results: [{ id: "a", status: "success" }],
      answer: { said: 1 },
    });
  });

  test("is counted by no quota", async () => {
    const { attempt, world } = setUp([{ id: "a", tool: "once" }]);
    await attempt();
    expect(world.gate.requests.every(({ quota }) => quota === null)).toBe(true);
  });

  test("that fails in passing is tried again, and only what failed runs again", async () => {
    const { attempt, upstream } = setUp([
      { id: "r", tool: "read" },
      { id: "w", tool: "once", args: { of: { $ref: "r#/from" } } },
      { id: "x", tool: "other", depends_on: ["w"] },
    ]);
    upstream.down.add("other");
    const first = await attempt();
    expect(first.end).toMatchObject({ kind: "failed", error: { retryable: true } });
    upstream.down.delete("other");
    const second = await attempt();
    expect(second.end).toMatchObject({ kind: "succeeded" });
    expect(statuses(second)).toEqual(["success", "success", "success"]);
    expect([upstream.count("read"), upstream.count("once")]).toEqual([1, 1]);
  });

  test("waits as long as the most patient of its upstreams asks", async () => {
    const world = new TestWorld();
    const busy = contractOf("busy", {
      run: () => Promise.reject(new ToolFailure("RATE_LIMITED", { retryable: true, retryAfterMs: 90_000 })),
    });
    const flow = flowOf([{ tool: "busy" }]);
    const { end } = await world.clock.runUntil(runJob(claimOf(), flow, world.execution([busy])));
    expect(end).toMatchObject({ kind: "failed", error: { retryable: true, retry_after_ms: 90_000 } });
  });

  test("that was cut off sends a write again under its key, and none that must not be sent twice", async () => {
    const { attempt, killAt, upstream } = setUp([
      { id: "k", tool: "keyed" },
      { id: "o", tool: "once", depends_on: ["k"] },
      { id: "x", tool: "other", depends_on: ["o"] },
    ]);
    await killAt("once");
    const second = await attempt();
    expect(statuses(second)).toEqual(["success", "unknown", "skipped"]);
    expect(second.end.kind).toBe("unknown");
    expect(upstream.count("once")).toBe(1);
    // Its end was written down before the run was cut off.
    expect(upstream.count("keyed")).toBe(1);
  });

  test("that was cut off before a write was sent sends it", async () => {
    const { attempt, killAt, upstream } = setUp([
      { id: "r", tool: "read" },
      { id: "o", tool: "once", depends_on: ["r"] },
    ]);
    await killAt("read");
    const second = await attempt();
    expect(second.end.kind).toBe("succeeded");
    expect(upstream.count("once")).toBe(1);
  });

  test("that was cut off while a repeatable write was under way sends it under the same key", async () => {
    const { attempt, killAt, upstream } = setUp([{ id: "k", tool: "keyed" }]);
    await killAt("keyed");
    expect((await attempt()).end.kind).toBe("succeeded");
    expect(new Set(upstream.keys)).toEqual(new Set([`${SEED}:k`]));
  });

  test("sends a write that may be repeated again under its key, where its answer was lost or its upstream broke", async () => {
    for (const broken of [() => Promise.reject(new TypeError("reset")), () => answerWith(503)]) {
      const { attempt, keys } = setUpHttp({ idempotent: "with-key" }, [broken, () => answerWith(200)]);
      expect((await attempt()).end).toMatchObject({ kind: "failed", error: { retryable: true } });
      expect((await attempt()).end.kind).toBe("succeeded");
      expect(keys).toEqual([`${SEED}:w`, `${SEED}:w`]);
    }
  });

  test("says of a write that was lost and then refused that it may have happened", async () => {
    const answers = [() => answerWith(503), () => answerWith(400)];
    const { attempt } = setUpHttp({ idempotent: "with-key" }, answers);
    await attempt();
    const { report } = await attempt();
    const { results } = JSON.parse(report!.envelopeJson) as WireEnvelope;
    expect(results[0]).toMatchObject({ error: { upstream_status: 400 }, meta: { in_doubt: true } });
  });

  test("sends no write again that must not be, where its upstream broke over it and something else is to be retried", async () => {
    const { attempt, keys } = setUpHttp({ idempotent: false }, [() => answerWith(503)], [{ tool: "flaky" }]);
    expect((await attempt()).end).toMatchObject({ kind: "failed", error: { retryable: true } });
    const second = await attempt();
    expect(statuses(second)).toEqual(["unknown", "success"]);
    expect(second.end.kind).toBe("unknown");
    expect(keys).toHaveLength(1);
  });

  test("sends a write again that was clearly refused, once somebody redrives it", async () => {
    const { attempt, keys } = setUpHttp({ idempotent: false }, [
      () => answerWith(404),
      () => answerWith(200),
    ]);
    expect((await attempt()).end).toMatchObject({ kind: "failed", error: { retryable: false } });
    expect((await attempt()).end.kind).toBe("succeeded");
    expect(keys).toHaveLength(2);
  });

  test("whose write may have happened and cannot be repeated ends as unknown, when the rest of it has run", async () => {
    const { attempt, killAt, upstream } = setUp([
      { id: "o", tool: "once" },
      { id: "x", tool: "other" },
    ]);
    upstream.down.add("other");
    await killAt("once");
    const second = await attempt();
    expect(second.end).toMatchObject({ kind: "failed", error: { retryable: true } });
    upstream.down.delete("other");
    const third = await attempt();
    expect(third.end.kind).toBe("unknown");
    expect(statuses(third)).toEqual(["unknown", "success"]);
    expect(upstream.count("once")).toBe(1);
  });

  test("gives its background work the same ids on every attempt", async () => {
    const { attempt, upstream, world } = setUp([
      { id: "j", tool: "later" },
      { id: "x", tool: "other" },
    ]);
    upstream.down.add("other");
    const first = await attempt();
    upstream.down.delete("other");
    await attempt();
    const [initiated] = envelopeOf(first).results;
    expect(initiated).toMatchObject({ status: "initiated" });
    expect(world.gate.recordedIds).toEqual(new Set([initiated!.job_id]));
    expect(upstream.count("later")).toBe(1);
  });

  test("that is cut off once its background work is recorded leaves that to its job", async () => {
    const { attempt, killAt, upstream, world } = setUp([
      { id: "j", tool: "later" },
      { id: "x", tool: "other" },
    ]);
    upstream.silent.add("later");
    await killAt("other");
    upstream.silent.delete("later");
    await attempt();
    expect(world.gate.recordedIds.size).toBe(1);
    expect(upstream.count("later")).toBe(1);
  });

  test("whose fence is not the row's any more sends no write", async () => {
    const { begin, upstream, world } = setUp([{ id: "o", tool: "once" }]);
    const claimed = begin();
    world.gate.runFence += 1;
    const { report } = await world.clock.runUntil(claimed);
    expect(upstream.count("once")).toBe(0);
    expect(JSON.parse(report!.envelopeJson)).toMatchObject({ results: [{ error: { code: "CANCELLED" } }] });
  });

  test("of which nothing can be written down sends no write, and is tried again", async () => {
    const { begin, upstream, world } = setUp([
      { id: "r", tool: "read" },
      { id: "o", tool: "once" },
    ]);
    world.gate.down = true;
    const { end } = await world.clock.runUntil(begin());
    expect(end).toMatchObject({ kind: "failed", error: { retryable: true } });
    expect(upstream.count("once")).toBe(0);
  });

  test("that asks a person has succeeded with the question listed, and asks once", async () => {
    const { attempt, upstream } = setUp(
      [
        { id: "q", tool: "asks" },
        { id: "x", tool: "other" },
      ],
      { answer: { $ref: "q#" } },
    );
    upstream.down.add("other");
    const first = await attempt();
    upstream.down.delete("other");
    const second = await attempt();
    expect(second.end).toEqual({ kind: "succeeded", dataJson: "null" });
    const asked = [first, second].map((ended) => envelopeOf(ended).results[0]!.confirmation?.id);
    expect(asked[0]).toBeDefined();
    expect(asked[0]).toBe(asked[1]);
    expect(upstream.count("asks")).toBe(0);
  });

  test("that was killed asks about what waits for a person, once, also where it was killed after that: only what was sent is unknown", async () => {
    const { begin, killAt, upstream, world } = setUp([
      { id: "w", tool: "once" },
      { id: "q", tool: "asks" },
      { id: "k", tool: "keyed", depends_on: ["q"] },
    ]);
    await killAt("once");
    const second = await world.clock.runUntil(begin());
    // Its question is recorded, and nothing that it says.
    world.gate.runFence += 1;
    const third = await world.clock.runUntil(begin());
    for (const ended of [second, third])
      expect(statuses(ended)).toEqual(["unknown", "pending_confirmation", "pending_confirmation"]);
    const asked = [second, third].map((ended) => envelopeOf(ended).results[1]!.confirmation!.id);
    expect([...world.gate.parked.keys()]).toEqual([asked[0]]);
    expect(asked[1]).toBe(asked[0]);
    expect(upstream.calls).toEqual(["once"]);
  });

  test("whose attempt outlives its lease asks nothing: the attempt that took it over asks, also where it asks later", async () => {
    for (const isFirst of [false, true]) {
      const { begin, upstream, world } = setUp([
        { id: "r", tool: "read" },
        { id: "q", tool: "asks" },
      ]);
      const lapsed = Promise.withResolvers<void>();
      upstream.held.set("read", lapsed.promise);
      const first = begin();
      await world.clock.runUntil(world.clock.sleep(100));
      upstream.held.delete("read");
      world.gate.runFence += 1;
      const next = isFirst ? null : await world.clock.runUntil(begin());
      lapsed.resolve();
      expect(statuses(await world.clock.runUntil(first))).toEqual(["success", "error"]);
      const second = next ?? (await world.clock.runUntil(begin()));
      expect(statuses(second)).toEqual(["success", "pending_confirmation"]);
      const { id } = envelopeOf(second).results[1]!.confirmation!;
      expect([...world.gate.parked.keys()], String(isFirst)).toEqual([id]);
    }
  });

  test("whose answer needs nothing that failed is tried again all the same, and succeeds in the end", async () => {
    const { attempt, upstream, world } = setUp(
      [
        { id: "a", tool: "read" },
        { id: "x", tool: "other" },
      ],
      {
        answer: { $ref: "a#/from" },
      },
    );
    upstream.down.add("other");
    for (let n = 1; n < 5; n += 1)
      expect((await attempt()).end).toMatchObject({ kind: "failed", error: { retryable: true } });
    expect(world.gate.runFence).toBe(5);
    const last = await attempt();
    expect(last.end).toEqual({ kind: "succeeded", dataJson: '"read"' });
    expect(statuses(last)).toEqual(["success", "error"]);
  });

  test("whose answer needs nothing that failed for good has succeeded at once", async () => {
    const { attempt } = setUp(
      [
        { id: "a", tool: "read" },
        { id: "x", tool: "read", args: { gone: { $ref: "input#/gone" } } },
      ],
      { answer: { $ref: "a#/from" } },
    );
    expect((await attempt()).end).toEqual({ kind: "succeeded", dataJson: '"read"' });
  });

  test.each([
    ["a skipped action that its answer needs", { answer: { $ref: "z#" } }],
    ["all of its actions, where it has no answer", {}],
  ])("that failed for %s says what failed first, with its code", async (_, more) => {
    const { attempt, upstream } = setUp(
      [
        { id: "x", tool: "other" },
        { id: "y", tool: "once", depends_on: ["x"] },
        { id: "z", tool: "read", depends_on: ["y"] },
      ],
      more,
    );
    upstream.down.add("other");
    const { end } = await attempt();
    const hint = expect.stringMatching(/^Its action 'x' ended as error/) as string;
    expect(end).toMatchObject({ kind: "failed", error: { code: "UPSTREAM_ERROR", hint } });
  });

  test("whose answer needs one of two that failed says that one; a pointer to nothing is no action's failure", async () => {
    const actions = [
      { id: "x", tool: "other" },
      { id: "y", tool: "once", args: { gone: { $ref: "input#/gone" } } },
    ];
    const { attempt } = setUp(actions, { answer: { $ref: "y#" } });
    expect((await attempt()).end).toMatchObject({ error: { code: "BAD_REFERENCE" } });
    const nowhere = setUp(actions, { answer: { $ref: "x#/nowhere" } });
    expect((await nowhere.attempt()).end).toMatchObject({ kind: "failed", error: { code: "BAD_REFERENCE" } });
  });

  trial("of which an open breaker has kept in one action and another failed loses an attempt", async () => {
    const world = new TestWorld();
    const kept = contractOf("kept", {
      hosts: ["api.example.com"],
      run: async (_, ctx) => (await ctx.fetch("https://api.example.com/")).json(),
    });
    const down = contractOf("down", {
      run: () => Promise.reject(new ToolFailure("UPSTREAM_ERROR", { retryable: true })),
    });
    world.fetch = () => Promise.resolve(Response.json({}, { status: 500 }));
    const execution = world.execution([kept, down]);
    const end = async (...tools: string[]) =>
      (await world.clock.runUntil(runJob(claimOf(), flowOf(tools.map((tool) => ({ tool }))), execution))).end;
    for (let n = 0; n < 30; n += 1) await end("kept");
    expect((await end("kept")).kind).toBe("deferred");
    expect((await end("kept", "down")).kind).toBe("failed");
  });

  test("that an open breaker has kept in loses no attempt", async () => {
    const world = new TestWorld();
    const kept = contractOf("kept", {
      hosts: ["api.example.com"],
      run: async (_, ctx) => (await ctx.fetch("https://api.example.com/")).json(),
    });
    world.fetch = () => Promise.resolve(Response.json({}, { status: 500 }));
    const flow = flowOf([{ tool: "kept" }]);
    const kinds: string[] = [];
    const execution = world.execution([kept]);
    for (let n = 0; n < 30; n += 1) {
      kinds.push((await world.clock.runUntil(runJob(claimOf(), flow, execution))).end.kind);
    }
    expect([kinds[0], kinds.at(-1)]).toEqual(["failed", "deferred"]);
  });

  test("gets no other attempt where that could do nothing else", async () => {
    const { attempt } = setUp([{ id: "a", tool: "read", args: { gone: { $ref: "input#/gone" } } }]);
    expect((await attempt()).end).toMatchObject({ kind: "failed", error: { retryable: false } });
  });

  test("is broken where a tool of it is gone", async () => {
    const { attempt } = setUp([{ id: "a", tool: "gone" }]);
    expect(await attempt()).toMatchObject({ end: { kind: "failed", error: { code: "FLOW_BROKEN" } } });
  });

  trial("leaves no more than may be kept, and every write among it", async () => {
    const world = new TestWorld();
    const large = "x".repeat(100_000);
    const read = contractOf("read", { run: async () => ({ large }) });
    const write = contractOf("write", { ...WRITE, idempotent: false, run: async () => ({ large }) });
    const actions = [
      ...Array.from({ length: 5 }, (_, n) => ({ id: `r${n}`, tool: "read" })),
      ...Array.from({ length: 5 }, (_, n) => ({ id: `w${n}`, tool: "write" })),
    ];
    const flow = flowOf(actions);
    const ended = await world.clock.runUntil(runJob(claimOf(), flow, world.execution([read, write])));
    const { steps, envelopeJson } = ended.report!;
    const sizeOf = (kept: readonly KeptStep[]) =>
      kept.reduce((sum, { outcomeJson }) => sum + outcomeJson!.length, 0);
    expect(sizeOf(steps)).toBeLessThan(FLOWS_LIMITS.runStepsBytes + 10_000);
    expect(steps.map(({ id }) => id).filter((id) => id.startsWith("w"))).toHaveLength(5);
    expect(envelopeJson.length).toBeLessThanOrEqual(LIMITS.jobDataBytes);
  });
});

describe("A loop of a run that goes on", () => {
  /** Items that are open until they are sent, each with so many bytes, and a flow that lists them and sends each. */
  function setUpItems(items: readonly string[], bytes = 0) {
    const world = new TestWorld();
    const open = [...items];
    const sent: string[] = [];
    let killAt: string | undefined;
    const list = contractOf("list", {
      run: () => Promise.resolve(open.map((id) => ({ id, text: "x".repeat(bytes) }))),
    });
    const send = contractOf("send", {
      ...WRITE,
      orchestration: { mode: "sequential-only", on_error: "partial-success" },
      idempotent: false,
      run: ({ id }: { id: string }) => {
        if (id === killAt) return new Promise(() => {});
        sent.push(id);
        open.splice(open.indexOf(id), 1);
        return Promise.resolve({ id });
      },
    });
    const flow = flowOf([
      { id: "list", tool: "list" },
      { id: "send", tool: "send", for_each: { $ref: "list#" }, args: { id: { $ref: "item#/id" } } },
    ]);
    const attempt = () => runJob(claimOf(world.gate.runFence), flow, world.execution([list, send]));
    return {
      sent,
      open,
      attempt: () => world.clock.runUntil(attempt()),
      killAt: async (item: string) => {
        killAt = item;
        void attempt();
        await world.clock.runUntil(world.clock.sleep(100));
        killAt = undefined;
        world.gate.runFence += 1;
      },
    };
  }

  test("goes over the list as it was when it began, though that has changed since", async () => {
    const { sent, open, attempt, killAt } = setUpItems(["a", "b", "c", "d", "e"]);
    await killAt("c");
    open.unshift("new");
    const { end } = await attempt();
    // Whether "c" was sent is not known.
    expect(sent).toEqual(["a", "b", "d", "e"]);
    expect(end.kind).toBe("unknown");
  });

  trial("goes no further where the list was too large to be kept whole, and says so", async () => {
    const { sent, attempt, killAt } = setUpItems(["a", "b", "c", "d"], FLOWS_LIMITS.loopListBytes / 3);
    await killAt("c");
    const { end } = await attempt();
    expect(sent).toEqual(["a", "b"]);
    expect(end).toMatchObject({ kind: "failed", error: { retryable: false } });
    expect(JSON.stringify(end)).toContain("Only a part of 'list' was kept");
  });
});
