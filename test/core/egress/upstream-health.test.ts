import { describe, expect, test } from "vitest";

import type { ToolContext } from "../../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import type { FailureCode } from "../../../src/core/contract/failure-codes.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { JobSpec } from "../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { execute } from "../../../src/core/run/execute/executor.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { JobDrain } from "../../../src/cloudflare/durable/drain-jobs.ts";
import { AttemptRunner } from "../../../src/core/run/attempt-runner.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import { judge, UpstreamHealth } from "../../../src/core/egress/upstream-health.ts";
import { type DueIndex, firstDue, nextDue } from "../../../src/core/gate/state/due-index.ts";
import { claimJob, type Job, recordJob } from "../../../src/core/gate/state/outbox.ts";
import { settleJob } from "../../../src/core/gate/state/settle-job.ts";
import { TestWorld, type WireResult } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { FakeUpstream, silence } from "../../support/fake-upstream.ts";
import { valueOf } from "../../support/unwrap.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const ACME = { tenant: "acme" };

const ORIGIN = "https://a.example.com";
const LEASE = LIMITS.jobLeaseMs;
const retried = { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 50 } } as const;

const get = async (_: unknown, ctx: ToolContext): Promise<unknown> => (await ctx.fetch(`${ORIGIN}/x`)).json();
const post = async (_: unknown, ctx: ToolContext): Promise<unknown> =>
  (await ctx.fetch(`${ORIGIN}/x`, { method: "POST" })).json();

const read = contractOf("read", { hosts: ["a.example.com"], orchestration: retried, run: get });
const job = contractOf("job", {
  hosts: ["a.example.com"],
  isWrite: true,
  execution: "fire-and-forget",
  idempotent: "with-key",
  run: post,
});

/** A world whose upstream takes `delayMs` and is down while it is told to be. */
function stormyWorld(delayMs = 20) {
  const world = new TestWorld();
  const weather = { down: true };
  const upstream = new FakeUpstream(async () => {
    await world.clock.sleep(delayMs);
    return weather.down ? new Response(null, { status: 500 }) : Response.json({ fine: true });
  });
  world.fetch = upstream.fetch;
  return { world, weather, upstream };
}

const batchOf = (tool: string, count: number) => ({
  actions: Array.from({ length: count }, (_, n) => ({ tool, args: { n } })),
});
/** Run the same batch of reads several times at once. */
function runAtOnce(world: TestWorld, times: number, body: object): Promise<unknown> {
  const batch = valueOf(parseBatch(body, 1_000));
  const running = Array.from({ length: times }, () => execute(batch, world.execution([read])));
  return world.clock.runUntil(Promise.all(running));
}

const codes = (results: readonly WireResult[]) => results.map(({ status, error }) => error?.code ?? status);

describe("F05 A storm of 1,000 reads that may be retried", () => {
  trial(
    "costs the upstream few calls in batches one after another, and each action has its result",
    async () => {
      const { world, upstream } = stormyWorld();
      for (let batch = 0; batch < 20; batch += 1) {
        const { results } = await world.run([read], batchOf("read", 50));
        expect(results).toHaveLength(50);
        for (const code of codes(results)) expect(["UPSTREAM_ERROR", "CIRCUIT_OPEN"]).toContain(code);
      }
      expect(upstream.requests.length).toBeLessThanOrEqual(100);
    },
  );

  trial("costs at most 1,200 calls when all of them come at once", async () => {
    const { world, upstream } = stormyWorld();
    await runAtOnce(world, 20, batchOf("read", 50));
    expect(upstream.requests.length).toBeLessThanOrEqual(300);
  });

  trial("costs at most 1,200 calls when it is so thin that the breaker never opens", async () => {
    const { world, upstream } = stormyWorld();
    for (let call = 0; call < 1_000; call += 1) {
      const { results } = await world.run([read], batchOf("read", 1));
      expect(codes(results)).toEqual(["UPSTREAM_ERROR"]);
      await world.clock.advance(1_100);
    }
    expect(upstream.requests.length).toBeGreaterThan(1_000);
    expect(upstream.requests.length).toBeLessThanOrEqual(1_200);
  });

  test("is over after one probe when the upstream is back", async () => {
    const { world, weather, upstream } = stormyWorld();
    await world.run([read], batchOf("read", 50));
    weather.down = false;
    await world.clock.advance(LIMITS.breakerPauseMs);
    const before = upstream.requests.length;

    // The first of them is the probe, the others come while it is under way.
    const { results } = await world.run([read], batchOf("read", 6));
    expect(codes(results)).toEqual(["success", ...Array.from({ length: 5 }, () => "CIRCUIT_OPEN")]);
    expect(upstream.requests.length).toBe(before + 1);

    const after = await world.run([read], batchOf("read", 50));
    expect(after.summary).toMatchObject({ ok: 50 });
  });
});

test("a call that is not sent says when to come back, costs no attempt and is not retried", async () => {
  const { world, upstream } = stormyWorld();
  await world.run([read], batchOf("read", 50));
  const before = upstream.requests.length;

  const startedAt = world.clock.now();
  const { results } = await world.run([read], batchOf("read", 1));
  expect(world.clock.now()).toBe(startedAt);
  expect(upstream.requests.length).toBe(before);
  expect(results[0]).toMatchObject({
    status: "error",
    error: {
      code: "CIRCUIT_OPEN",
      retryable: true,
      hint: expect.stringMatching(/not called; try again in \d+ ms/),
    },
    meta: { attempts: 0 },
  });
  expect(results[0]!.error!.retry_after_ms).toBeGreaterThan(LIMITS.breakerPauseMs / 2);
});

test("a write that is not sent is an error and not in doubt", async () => {
  const { world } = stormyWorld();
  const write = contractOf("write", { hosts: ["a.example.com"], isWrite: true, run: post });
  await world.run([write, read], {
    actions: batchOf("write", 30).actions.map((action) => ({ ...action, args: {} })),
  });
  const { results } = await world.run([write], batchOf("write", 1));
  expect(results[0]).toMatchObject({ status: "error", error: { code: "CIRCUIT_OPEN", retryable: true } });
});

test("T21 another tool, and another origin of the same tool, are not held up", async () => {
  const { world, weather } = stormyWorld();
  const twin = contractOf("twin", { hosts: ["a.example.com"], run: get });
  const where = contractOf("where", {
    hosts: ["a.example.com", "b.example.com"],
    run: async (args, ctx) => (await ctx.fetch(`https://${(args as { host: string }).host}/`)).json(),
  });
  const at = (host: string, count: number) => ({
    actions: Array.from({ length: count }, (_, n) => ({ tool: "where", args: { host, n } })),
  });
  await world.run([where], at("a.example.com", 50));
  weather.down = false;

  expect(codes((await world.run([where], at("a.example.com", 1))).results)).toEqual(["CIRCUIT_OPEN"]);
  expect(codes((await world.run([where], at("b.example.com", 1))).results)).toEqual(["success"]);
  expect(codes((await world.run([twin], batchOf("twin", 1))).results)).toEqual(["success"]);
});

trial(
  "a silent upstream opens the breaker, unless the caller gave it less time than its tool has",
  async () => {
    const world = new TestWorld();
    world.fetch = new FakeUpstream(silence).fetch;
    const hasty = Array.from({ length: 50 }, () => ({ tool: "read", timeout_ms: 10 }));
    await world.run([read], { actions: hasty });
    await world.run([read], { actions: hasty });
    expect(codes((await world.run([read], { actions: hasty.slice(1, 2) })).results)).toEqual(["TIMEOUT"]);

    await runAtOnce(world, 4, { ...batchOf("read", 6), deadline_ms: 30_000 });
    expect(codes((await world.run([read], batchOf("read", 1))).results)).toEqual(["CIRCUIT_OPEN"]);
  },
);

test("calls that were stopped by us say nothing about the upstream", async () => {
  const world = new TestWorld();
  world.fetch = new FakeUpstream(silence).fetch;
  await runAtOnce(world, 10, { ...batchOf("read", 6), deadline_ms: 100 });
  world.fetch = new FakeUpstream(() => Response.json({})).fetch;
  expect(codes((await world.run([read], batchOf("read", 1))).results)).toEqual(["success"]);
});

describe("A storm of 1,000 jobs", () => {
  const NO_OTHERS = [{ name: "jobs", places: LIMITS.headerSlots }];
  const liveOf = (jobs: ReadonlyMap<string, Job>): DueIndex =>
    new Map([...jobs].flatMap(([id, { dueAt }]) => (dueAt === null ? [] : [[id, { lane: "jobs", dueAt }]])));

  /** The object's side of it: the real drain, claims and settlements, over rows in memory. */
  function drainOf(clock: VirtualClock, runner: AttemptRunner, jobs: Map<string, Job>) {
    return new JobDrain(
      {
        clock,
        nextDue: (now) => nextDue(liveOf(jobs), now, NO_OTHERS),
        claim(now) {
          const id = firstDue(liveOf(jobs), now, { lanes: NO_OTHERS });
          if (id === null) return null;
          const [claimed, claim] = claimJob(jobs.get(id)!, now, LEASE);
          jobs.set(id, claimed);
          if (claim === null) return null;
          const { fence } = claim;
          const run = async (): Promise<void> => {
            const end = await runner.run(claim, clock.now() + LIMITS.firstAttemptMs);
            jobs.set(id, settleJob(jobs.get(id)!, clock.now(), { fence, end, random: 0.5 })[0]);
          };
          return { run, leaseEndsAt: now + LEASE };
        },
      },
      {
        concurrency: LIMITS.headerSlots,
        claimForMs: Number.POSITIVE_INFINITY,
        claims: Number.POSITIVE_INFINITY,
      },
    );
  }

  /** The alarm: the drain runs whenever a job is due, until all of them have ended. */
  async function drainAll(clock: VirtualClock, drain: JobDrain, jobs: Map<string, Job>): Promise<void> {
    const next = (): number | null => nextDue(liveOf(jobs), clock.now(), NO_OTHERS);
    for (let dueAt = next(); dueAt !== null; dueAt = next()) {
      await clock.sleep(Math.max(1, dueAt - clock.now()));
      await drain.run();
    }
  }

  const specOf = (n: number): JobSpec => ({
    id: `job-${n}`,
    tool: "job",
    argsJson: "{}",
    idempotencyKey: `job-${n}`,
    maxAttempts: LIMITS.jobAttempts,
    backoffInitialMs: LIMITS.jobBackoffInitialMs,
    delivery: "at-least-once",
  });

  trial(
    "kills none of those that were never sent, costs at most 1,200 calls, and ends when the upstream is back",
    async () => {
      const { world, weather, upstream } = stormyWorld(1);
      const { ports, clock, health, toolGates } = world;
      const { options, catalog, origin } = world.execution([job]);
      const slots = new Semaphore(options.headerSlots);
      const runner = new AttemptRunner(
        ({ tool }) => catalog.get(tool),
        () => ({
          origin,
          ports,
          options,
          slots,
          budget: new ByteBudget(1_000_000),
          cache: null,
          health,
          toolGates,
        }),
      );
      const jobs = new Map<string, Job>();
      for (let n = 0; n < 1_000; n += 1) {
        const recorded = recordJob(specOf(n), clock.now(), 0);
        // As a row whose recorder died: the object makes all of its attempts.
        jobs.set(recorded.spec.id, { ...recorded, attempts: 0 });
      }

      const draining = drainAll(clock, drainOf(clock, runner, jobs), jobs);
      await clock.advance(5 * 60_000);
      const statuses = () => Object.groupBy(jobs.values(), ({ status }) => status);
      expect(upstream.requests.length).toBeLessThanOrEqual(200);
      expect(statuses().dead ?? []).toEqual([]);
      expect(statuses().retrying).toHaveLength(1_000);

      weather.down = false;
      await clock.runUntil(draining);
      expect(statuses().succeeded).toHaveLength(1_000);
      expect(upstream.requests.length).toBeLessThanOrEqual(1_200);
    },
  );
});

describe("judge()", () => {
  const verdicts: readonly [FailureCode, Parameters<typeof makeFailure>[1], string][] = [
    ["UPSTREAM_ERROR", {}, "failed"],
    ["UPSTREAM_ERROR", { upstreamStatus: 500 }, "failed"],
    ["UPSTREAM_ERROR", { upstreamStatus: 503, retryAfterMs: 10 }, "failed"],
    ["UPSTREAM_ERROR", { upstreamStatus: 501, retryable: false }, "ok"],
    ["UPSTREAM_ERROR", { upstreamStatus: 400, retryable: false }, "ok"],
    ["UPSTREAM_ERROR", { upstreamStatus: 408 }, "ok"],
    ["TIMEOUT", { phase: "headers" }, "failed"],
    ["TIMEOUT", { phase: "idle" }, "failed"],
    ["TIMEOUT", { phase: "total" }, "failed"],
    ["RATE_LIMITED", { upstreamStatus: 429 }, "ok"],
    ["NOT_FOUND", { upstreamStatus: 404 }, "ok"],
    ["BAD_UPSTREAM_RESPONSE", {}, "ok"],
    ["RESPONSE_TOO_LARGE", {}, "ok"],
    ["DEADLINE_EXCEEDED", {}, "unknown"],
    ["CANCELLED", {}, "unknown"],
    ["ABORTED", {}, "unknown"],
    ["EGRESS_DENIED", {}, "unknown"],
    ["CIRCUIT_OPEN", {}, "unknown"],
  ];

  test.each(verdicts)("%s %o is %s", (code, details, verdict) => {
    expect(judge(makeFailure(code, details), true)).toBe(verdict);
  });

  test("does not blame the upstream for a time that the caller shortened", () => {
    expect(judge(makeFailure("TIMEOUT", { phase: "total" }), false)).toBe("unknown");
    expect(judge(makeFailure("TIMEOUT", { phase: "headers" }), false)).toBe("failed");
  });
});

test("a request that never reports does not hold the probe's place for longer than a call can last", () => {
  const clock = new VirtualClock();
  const health = new UpstreamHealth(clock);
  for (let call = 0; call < LIMITS.breakerCalls; call += 1) health.enter(read, ORIGIN, ACME)("failed");
  expect(() => health.enter(read, ORIGIN, ACME)).toThrow(ToolFailure);

  clock.jump(LIMITS.breakerPauseMs);
  health.enter(read, ORIGIN, ACME);
  expect(() => health.enter(read, ORIGIN, ACME)).toThrow(ToolFailure);
  clock.jump(read.timeoutMs);
  health.enter(read, ORIGIN, ACME)("ok");
  expect(() => health.enter(read, ORIGIN, ACME)).not.toThrow();
});

describe("who is told of a breaker", () => {
  const fail = (health: UpstreamHealth, opened: unknown[], times: number = LIMITS.breakerCalls): void => {
    for (let n = 0; n < times; n += 1)
      health.enter(read, ORIGIN, { tenant: "acme", onOpened: (breaker) => opened.push(breaker) })("failed");
  };

  test("hears of it once when it opens, with its pause, and not when a look finds it as it was", () => {
    const clock = new VirtualClock(1_000);
    const health = new UpstreamHealth(clock);
    const opened: unknown[] = [];
    fail(health, opened, LIMITS.breakerCalls - 1);
    expect(opened).toEqual([]);
    fail(health, opened, 1);
    const until = clock.now() + LIMITS.breakerPauseMs;
    expect(opened).toEqual([{ tool: "read", origin: ORIGIN, since: clock.now(), until }]);
    clock.jump(LIMITS.breakerPauseMs);
    fail(health, opened, 1);
    expect(opened).toHaveLength(1);
  });

  test("hears of it anew when it had closed in between", () => {
    const clock = new VirtualClock(1_000);
    const health = new UpstreamHealth(clock);
    const opened: unknown[] = [];
    fail(health, opened);
    clock.jump(LIMITS.breakerPauseMs);
    health.enter(read, ORIGIN, ACME)("ok");
    fail(health, opened);
    expect(opened).toHaveLength(2);
  });

  test("is one of several requests that fail together", () => {
    const health = new UpstreamHealth(new VirtualClock(1_000));
    const opened: number[] = [];
    const leaves = Array.from({ length: 2 * LIMITS.breakerCalls }, (_, n) =>
      health.enter(read, ORIGIN, { tenant: "acme", onOpened: () => opened.push(n) }),
    );
    for (const leave of leaves) leave("failed");
    expect(opened).toHaveLength(1);
  });
});

describe("breakers of several tenants", () => {
  const failFor = (health: UpstreamHealth, tenant: string): void => {
    for (let call = 0; call < LIMITS.breakerCalls; call += 1)
      health.enter(read, ORIGIN, { tenant })("failed");
  };

  test("T46 one tenant's failing calls close a shared tool to no other tenant", () => {
    const health = new UpstreamHealth(new VirtualClock());
    failFor(health, "acme");

    expect(() => health.enter(read, ORIGIN, ACME)).toThrow(ToolFailure);
    expect(() => health.enter(read, ORIGIN, { tenant: "other" })).not.toThrow();
    expect(health.openOf([read], "acme")).toHaveLength(1);
    expect(health.openOf([read], "other")).toEqual([]);
  });

  test("T46 keeps everybody away when three tenants' calls fail, until one look succeeds", () => {
    const clock = new VirtualClock();
    const health = new UpstreamHealth(clock);
    failFor(health, "a");
    failFor(health, "b");
    expect(() => health.enter(read, ORIGIN, ACME)("ok")).not.toThrow();
    failFor(health, "c");
    expect(() => health.enter(read, ORIGIN, ACME)).toThrow(ToolFailure);
    expect(health.openOf([read], "acme")).toHaveLength(1);

    clock.jump(LIMITS.breakerPauseMs);
    const leave = health.enter(read, ORIGIN, ACME);
    expect(() => health.enter(read, ORIGIN, { tenant: "other" })).toThrow(ToolFailure);
    leave("ok");
    expect(() => health.enter(read, ORIGIN, { tenant: "other" })).not.toThrow();
  });

  test("knows of no breaker of a tool that was never called, nor of a tenant that never called", () => {
    const health = new UpstreamHealth(new VirtualClock());
    expect(health.openOf([read], "acme")).toEqual([]);
    health.enter(read, ORIGIN, { tenant: "other" })("ok");
    expect(health.openOf([read], "acme")).toEqual([]);
  });

  test("T46 tenants whose calls succeed are not among those that failed", () => {
    const health = new UpstreamHealth(new VirtualClock());
    for (let tenant = 0; tenant < LIMITS.breakerTenants; tenant += 1)
      health.enter(read, ORIGIN, { tenant: `t${tenant}` })("ok");
    failFor(health, "a");

    expect(() => health.enter(read, ORIGIN, ACME)).not.toThrow();
  });

  test("says until when a breaker is open, and of one that is looked at until when it was", () => {
    const clock = new VirtualClock();
    const health = new UpstreamHealth(clock);
    failFor(health, "acme");
    const opened = { tool: "read", origin: ORIGIN, since: clock.now() };
    expect(health.openOf([read], "acme")).toEqual([
      { ...opened, until: clock.now() + LIMITS.breakerPauseMs },
    ]);
    clock.jump(LIMITS.breakerPauseMs);
    health.enter(read, ORIGIN, ACME);
    expect(health.openOf([read], "acme")).toEqual([{ ...opened, since: clock.now(), until: clock.now() }]);
  });

  test("T46 tenants that failed long ago are not among them", () => {
    const clock = new VirtualClock();
    const health = new UpstreamHealth(clock);
    failFor(health, "a");
    failFor(health, "b");
    clock.jump(LIMITS.breakerPauseMaxMs);
    failFor(health, "c");

    expect(() => health.enter(read, ORIGIN, ACME)).not.toThrow();
  });

  test("remembers breakers of a bounded number of tenants, and forgets the first", () => {
    const health = new UpstreamHealth(new VirtualClock());
    failFor(health, "acme");
    for (let tenant = 0; tenant < LIMITS.breakerTenantsKnown; tenant += 1)
      health.enter(read, ORIGIN, { tenant: `t${tenant}` })("ok");

    expect(() => health.enter(read, ORIGIN, ACME)).not.toThrow();
  });
});

describe("retries of several tenants", () => {
  const takeAll = (health: UpstreamHealth, tenant: string): number => {
    let taken = 0;
    while (health.takeRetry(read, tenant)) taken += 1;
    return taken;
  };

  test("T46 one tenant's failing calls use up no other's retries", () => {
    const health = new UpstreamHealth(new VirtualClock());
    for (let call = 0; call < 100; call += 1) health.countCall(read, "acme");

    expect(takeAll(health, "acme")).toBe(LIMITS.retryReserve);
    expect(takeAll(health, "other")).toBe(LIMITS.retryReserve);
    expect(takeAll(health, "acme")).toBe(0);
  });

  test("T46 a call is retried as ever after another tenant's have used up what they may retry", async () => {
    const { world } = stormyWorld();
    const attemptsOf = async (tenant: string): Promise<number> => {
      const origin = { tenant, key: "tester", requestId: "request-1" };
      const { results } = await world.run([read], batchOf("read", 1), { origin });
      await world.clock.advance(1_100);
      return results[0]!.meta.attempts!;
    };
    for (let call = 0; call < 2 * LIMITS.retryReserve; call += 1) await attemptsOf("acme");

    expect(await attemptsOf("acme")).toBe(1);
    expect(await attemptsOf("other")).toBe(2);
  });

  trial(
    "the tenant that left a tool alone for longest is forgotten, and only where there are too many",
    () => {
      const health = new UpstreamHealth(new VirtualClock());
      takeAll(health, "idle");
      takeAll(health, "busy");
      const callAs = (name: string, tenants: number): void => {
        for (let tenant = 0; tenant < tenants; tenant += 1) {
          health.countCall(read, `${name}${tenant}`);
          expect(health.takeRetry(read, "busy")).toBe(false);
        }
      };
      callAs("known", LIMITS.retryTenantsKnown - 2);
      expect(health.takeRetry(read, "busy")).toBe(false);
      expect(health.takeRetry(read, "idle")).toBe(false);
      callAs("new", LIMITS.retryTenantsKnown - 1);
      expect(takeAll(health, "idle")).toBe(LIMITS.retryReserve);
    },
  );
});
