import fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import type { AdmissionRequest } from "../../../src/core/contract/gate/admission.ts";
import type { JobSpec } from "../../../src/core/contract/gate/job.ts";
import { executePlan } from "../../../src/core/run/execute/execute-plan.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { parseBatchRequest } from "../../../src/features/orchestration/orchestration-api.ts";
import { makePartition } from "../../../src/features/orchestration/partition.ts";
import { makeSerialPlan } from "../../../src/features/orchestration/make-serial-plan.ts";
import { valueOf } from "../../support/unwrap.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { runAttempt } from "../../../src/core/run/run-attempt.ts";
import { isDemotable } from "../../../src/core/run/demotion.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { sleep } from "../../../src/core/kit/sleep.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { TestWorld, type WireResult } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

const DEADLINES = samples(500);

interface Request {
  readonly tool: string;
  readonly n: number;
  readonly key: string;
  readonly at: number;
}

/** Tools that send one request each, an upstream that answers it after `ms`, and a record of the requests. */
class Upstream {
  readonly world = new TestWorld();
  readonly requests: Request[] = [];
  readonly startedAt = this.world.clock.now();
  readonly tools: Tool[] = [
    this.#tool("read"),
    this.#tool("serial", { orchestration: { mode: "sequential-only" } }),
    this.#tool("retried", {
      orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 10 } },
    }),
    this.#tool("shared", { orchestration: { mode: "parallel-safe", global_concurrency: 1 } }),
    this.#tool("write", { ...WRITE }),
    this.#tool("put", { ...WRITE, idempotent: true }),
    this.#tool("keyed", { ...WRITE, idempotent: "with-key" }),
    this.#tool("post", { ...WRITE, execution: "fire-and-forget" }),
  ];
  active = 0;
  peak = 0;
  /** Ends what may linger, as the platform does when nothing of an invocation is left. */
  readonly invocation = new AbortController();

  constructor() {
    this.world.fetch = async (url, init) => {
      const { pathname, searchParams } = new URL(url);
      const at = this.world.clock.now() - this.startedAt;
      const key = new Headers(init.headers).get("idempotency-key") ?? "";
      this.requests.push({ tool: pathname.slice(1), n: Number(searchParams.get("n")), key, at });
      this.active += 1;
      this.peak = Math.max(this.peak, this.active);
      try {
        await sleep(this.world.clock, Number(searchParams.get("ms")), init.signal ?? this.invocation.signal);
      } finally {
        this.active -= 1;
      }
      return Response.json(
        { n: Number(searchParams.get("n")) },
        { status: Number(searchParams.get("status")) },
      );
    };
  }

  #tool(name: string, declaration: Partial<ToolDeclaration> = {}): Tool {
    return contractOf(name, {
      input: z.strictObject({ n: z.int().default(0), ms: z.int().default(0), status: z.int().default(200) }),
      hosts: ["x.example.com"],
      domain: name,
      timeoutMs: declaration.execution === "fire-and-forget" ? 10_000 : 60_000,
      run: async (args, ctx) => {
        const query = new URLSearchParams(
          Object.entries(args as object).map(([name, value]): [string, string] => [name, String(value)]),
        );
        const headers = { "idempotency-key": ctx.idempotencyKey };
        return (await ctx.fetch(`https://x.example.com/${name}?${query}`, { headers })).json();
      },
      ...declaration,
    });
  }

  /** An upstream may be silent for as long as a call may take: these tests are about other ends. */
  execution(): Execution {
    const execution = this.world.execution(this.tools);
    return { ...execution, options: { ...execution.options, headersTimeoutMs: 60_000 } };
  }

  /** Run a batch whose deadline is after 100 ms. */
  async run(actions: readonly object[], fields: object = {}) {
    const { options } = this.execution();
    const batch = { deadline_ms: 100, actions, ...fields };
    const { results } = await this.world.run(this.tools, batch, { options });
    return { results, answeredAt: this.world.clock.now() - this.startedAt };
  }

  /** The requests to the gate at the deadline. */
  get recordings(): readonly AdmissionRequest[] {
    return this.world.gate.requests.filter(({ quota, jobs }) => quota === null && jobs.length > 0);
  }

  get recorded(): readonly JobSpec[] {
    return this.recordings.flatMap(({ jobs }) => jobs.map(({ spec }) => spec));
  }

  endOf({ job_id }: WireResult) {
    return this.world.gate.settled.get(job_id!);
  }
}

const WRITE = { isWrite: true, actions: ["create"] } as const;

describe("A safe action that is unfinished at the deadline", () => {
  test.each(["read", "put", "keyed"])("goes on as a job, a %s that is called once", async (tool) => {
    const upstream = new Upstream();
    const { results, answeredAt } = await upstream.run([
      { tool: "read", args: { n: 1 } },
      { id: "slow", tool, args: { n: 2, ms: 700 } },
    ]);
    expect(answeredAt).toBe(100);
    expect(results).toMatchObject([
      { status: "success", data: { n: 1 } },
      {
        status: "initiated",
        job_id: expect.any(String),
        meta: { demoted: true, duration_ms: 100, attempts: 1 },
      },
    ]);
    expect(upstream.endOf(results[1]!)).toBeUndefined();

    await upstream.world.drain();
    expect(upstream.world.clock.now() - upstream.startedAt).toBe(700);
    expect(upstream.endOf(results[1]!)).toEqual({ kind: "succeeded", dataJson: '{"n":2}' });
    expect(upstream.requests.filter(({ n }) => n === 2)).toHaveLength(1);
    expect(upstream.world.clock.pending).toBe(0);
  });

  test("is recorded with all others in one round trip, which draws and counts nothing", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run(
      ["read", "put", "keyed"].map((tool, n) => ({ tool, args: { n, ms: 500 } })),
    );
    expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated", "initiated"]);
    expect(upstream.recordings).toMatchObject([{ quota: null, draws: [], allOrNothing: false }]);
    expect(upstream.recorded.map(({ id }) => id)).toEqual(results.map(({ job_id }) => job_id));
  });

  test("has a job that is repeated, under the key its call has sent", async () => {
    const upstream = new Upstream();
    await upstream.run([{ id: "w", tool: "keyed", args: { n: 5, ms: 500 } }]);
    expect(upstream.recorded).toMatchObject([
      { tool: "keyed", delivery: "at-least-once", maxAttempts: LIMITS.jobAttempts },
    ]);
    expect(upstream.recorded[0]!.idempotencyKey).toBe(upstream.requests[0]!.key);
    expect(JSON.parse(upstream.recorded[0]!.argsJson)).toMatchObject({ n: 5, ms: 500 });

    // The alarm's part for the job, had the runtime died.
    const { origin, ports, options, upstreams } = upstream.execution();
    const scope = {
      origin,
      ports,
      options,
      ...upstreams,
      cache: null,
      slots: new Semaphore(6),
      budget: new ByteBudget(1_000),
    };
    const claim = { spec: upstream.recorded[0]!, attempt: 2, fence: 2 };
    const again = runAttempt(claim, createCatalog(upstream.tools).get(claim.spec.tool), {
      scope,
      budgetMs: LIMITS.firstAttemptMs,
    });
    expect(await upstream.world.clock.runUntil(again)).toEqual({ kind: "succeeded", dataJson: '{"n":5}' });
    expect(new Set(upstream.requests.map(({ key }) => key)).size).toBe(1);
  });

  test("resolves its references before, so its job needs no other action's data", async () => {
    const upstream = new Upstream();
    await upstream.run([
      { id: "first", tool: "read", args: { n: 7 } },
      { tool: "read", args: { n: { $ref: "first#/n" }, ms: 500 } },
    ]);
    expect(JSON.parse(upstream.recorded[0]!.argsJson)).toEqual({ n: 7, ms: 500 });
  });

  test("keeps the whole output for its job, whatever was selected for the answer", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([{ tool: "read", args: { n: 3, ms: 200 }, select: ["/nothing"] }]);
    await upstream.world.drain();
    expect(upstream.endOf(results[0]!)).toEqual({ kind: "succeeded", dataJson: '{"n":3}' });
  });

  test("that waits for its tool's cap keeps its place there, and the cap holds after the answer", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([0, 1, 2].map((n) => ({ tool: "serial", args: { n, ms: 300 } })));
    expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated", "initiated"]);
    expect(results[1]!.meta).toEqual({ demoted: true });
    await upstream.world.drain();
    expect(upstream.requests.map(({ n, at }) => [n, at])).toEqual([
      [0, 0],
      [1, 300],
      [2, 600],
    ]);
    expect(upstream.peak).toBe(1);
    for (const [n, result] of results.entries())
      expect(upstream.endOf(result)).toEqual({ kind: "succeeded", dataJson: `{"n":${n}}` });
  });

  test("that waits for a header slot is sent when one is free", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run(
      Array.from({ length: 8 }, (_, n) => ({ tool: "read", args: { n, ms: 400 } })),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["initiated"]));
    await upstream.world.drain();
    expect(upstream.requests.map(({ at }) => at)).toEqual([0, 0, 0, 0, 0, 0, 400, 400]);
    expect(upstream.world.gate.settled.size).toBe(8);
  });

  test("that got none of the permits all callers share has cost its job no attempt", async () => {
    const upstream = new Upstream();
    const other = upstream.world.run(upstream.tools, { actions: [{ tool: "shared", args: { ms: 500 } }] });
    const { results } = await upstream.run([{ tool: "shared", args: { n: 1, ms: 300 } }]);
    expect(results).toMatchObject([{ status: "initiated" }]);
    await other;
    await upstream.world.drain();
    expect(upstream.endOf(results[0]!)).toMatchObject({ kind: "deferred", error: { code: "OVERLOADED" } });
    expect(upstream.requests).toHaveLength(1);
  });

  test("that fails afterwards is left to its job, which repeats it, and is not repeated beside it", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([
      { tool: "retried", args: { ms: 300, status: 503 } },
      { tool: "keyed", args: { ms: 300, status: 503 } },
    ]);
    await upstream.world.drain();
    const error = { code: "UPSTREAM_ERROR", retryable: true, upstream_status: 503 };
    expect(upstream.endOf(results[0]!)).toMatchObject({ kind: "failed", error });
    // A write, which may have taken effect.
    expect(upstream.endOf(results[1]!)).toMatchObject({ kind: "lost", error });
    expect(upstream.requests).toHaveLength(2);
  });

  test("is stopped when the time after the answer is over: what was sent counts, what was not is given back", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([
      { tool: "serial", args: { ms: 59_000 } },
      { tool: "serial", args: { ms: 59_000 } },
      { tool: "put", args: { ms: 59_000 } },
    ]);
    await upstream.world.clock.advance(LIMITS.firstAttemptMs);
    expect(upstream.endOf(results[0]!)).toMatchObject({
      kind: "failed",
      error: { code: "TIMEOUT", retryable: true },
    });
    expect(upstream.endOf(results[1]!)).toEqual({ kind: "released" });
    expect(upstream.endOf(results[2]!)).toMatchObject({ kind: "lost", error: { code: "TIMEOUT" } });
    // A write that was sent is never torn off.
    await upstream.world.drain();
    expect(upstream.world.clock.now() - upstream.startedAt).toBe(59_000);
    expect(upstream.requests).toHaveLength(2);
  });

  test("under fail-fast goes on all the same: a deadline is no failure of an action", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run(
      [
        { tool: "read", args: { ms: 500 } },
        { tool: "put", args: { ms: 500 } },
        { tool: "write", args: { ms: 500 } },
      ],
      { on_error: "fail-fast" },
    );
    expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated", "unknown"]);
  });

  test("is told in the stream at the deadline", async () => {
    const upstream = new Upstream();
    const told: [number, string][] = [];
    const batch = { deadline_ms: 100, actions: [{ tool: "read", args: { ms: 500 } }] };
    await upstream.world.run(upstream.tools, batch, {
      listener: {
        onOutcome: (_, { status }) => told.push([upstream.world.clock.now() - upstream.startedAt, status]),
      },
    });
    expect(told).toEqual([[100, "initiated"]]);
  });

  trial("that ends while it is being recorded keeps its own result, and its job is closed", async () => {
    const upstream = new Upstream();
    upstream.world.gate.beforeAnswer = ({ quota }) =>
      quota === null ? upstream.world.clock.sleep(200) : Promise.resolve();
    const { results, answeredAt } = await upstream.run([
      { tool: "read", args: { n: 1, ms: 150 } },
      { tool: "read", args: { n: 2, ms: 150, status: 503 } },
      { tool: "read", args: { n: 3, ms: 900 } },
    ]);
    expect(answeredAt).toBe(300);
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "success",
      "UPSTREAM_ERROR",
      "initiated",
    ]);
    await upstream.world.drain();
    const ends = upstream.recorded.map(({ id }) => upstream.world.gate.settled.get(id));
    expect(ends).toMatchObject([
      { kind: "succeeded", dataJson: '{"n":1}' },
      { kind: "failed", error: { code: "UPSTREAM_ERROR", retryable: false } },
      { kind: "succeeded" },
    ]);
  });

  test("that was not recorded ends as if there were no jobs", async () => {
    for (const refusal of ["BACKLOG_FULL", "OUTBOX_UNAVAILABLE"] as const) {
      const upstream = new Upstream();
      upstream.world.gate.refuseJobsWith = refusal;
      const { results, answeredAt } = await upstream.run([
        { tool: "serial", args: { ms: 500 } },
        { tool: "serial", args: { ms: 500 } },
        { tool: "put", args: { ms: 500 } },
      ]);
      expect(answeredAt).toBe(100);
      expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
        ["error", "DEADLINE_EXCEEDED"],
        ["error", "DEADLINE_EXCEEDED"],
        ["unknown", "DEADLINE_EXCEEDED"],
      ]);
      await upstream.world.drain();
      expect(upstream.requests).toHaveLength(2);
      expect(upstream.world.gate.settled.size).toBe(0);
    }
  });

  test("is answered within a second when the gate is silent; a write may still be recorded, so it is unknown", async () => {
    const upstream = new Upstream();
    upstream.world.gate.beforeAnswer = ({ quota }) =>
      quota === null ? upstream.world.clock.sleep(4_000) : Promise.resolve();
    const { results, answeredAt } = await upstream.run([
      { tool: "read", args: { ms: 50_000 } },
      { tool: "put", args: { ms: 50_000 } },
      { tool: "keyed", args: { ms: 50_000 } },
    ]);
    expect(answeredAt).toBe(100 + LIMITS.demotionTimeoutMs);
    expect(results.map(({ status, error }) => [status, error?.code, error?.retryable])).toEqual([
      ["error", "DEADLINE_EXCEEDED", true],
      ["unknown", "DEADLINE_EXCEEDED", true],
      ["unknown", "DEADLINE_EXCEEDED", false],
    ]);
    expect(results[2]!.error?.hint).toContain("look before you send it again");

    // A job that was recorded too late is closed, because its caller was not told of it.
    await upstream.world.drain();
    expect(upstream.recorded.map(({ id }) => upstream.world.gate.settled.get(id))).toMatchObject(
      Array.from({ length: 3 }, () => ({
        kind: "failed",
        error: { code: "DEADLINE_EXCEEDED", retryable: false },
      })),
    );
  });

  test("is unknown even where it has sent nothing yet, because its job may: a write that waits for a header slot", async () => {
    const upstream = new Upstream();
    upstream.world.gate.beforeAnswer = ({ quota }) =>
      quota === null ? upstream.world.clock.sleep(4_000) : Promise.resolve();
    const reads = Array.from({ length: 6 }, (_, n) => ({ tool: "read", args: { n, ms: 50_000 } }));
    const { results } = await upstream.run([...reads, { tool: "put", args: { ms: 1 } }]);
    expect(upstream.requests.map(({ tool }) => tool)).not.toContain("put");
    expect(results.at(-1)).toMatchObject({
      status: "unknown",
      error: { code: "DEADLINE_EXCEEDED", retryable: true },
    });
    await upstream.world.drain();
  });

  test("is answered at once when the gate fails", async () => {
    const upstream = new Upstream();
    upstream.world.gate.beforeAnswer = async ({ quota }) => void (upstream.world.gate.down = quota === null);
    const { results, answeredAt } = await upstream.run([{ tool: "read", args: { ms: 500 } }]);
    expect(answeredAt).toBe(100);
    expect(results[0]!.error?.code).toBe("DEADLINE_EXCEEDED");
    await upstream.world.drain();
  });
});

describe("An unsafe call ends at the deadline:", () => {
  test("a write that was sent and may not be repeated is unknown", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([{ tool: "write", args: { ms: 500 } }]);
    expect(results[0]).toMatchObject({
      status: "unknown",
      error: { code: "DEADLINE_EXCEEDED", retryable: false },
    });
    expect(upstream.recorded).toEqual([]);
  });

  test("what depends on a job did not run, and is not recorded", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([
      { id: "slow", tool: "read", args: { ms: 500 } },
      { tool: "read", args: { n: { $ref: "slow#/n" } } },
      { tool: "post", depends_on: ["slow"] },
    ]);
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "initiated",
      "DEADLINE_EXCEEDED",
      "DEADLINE_EXCEEDED",
    ]);
    expect(upstream.recorded).toHaveLength(1);
    await upstream.world.drain();
    expect(upstream.requests).toHaveLength(1);
  });

  test("a loop, which is one action and would be many jobs", async () => {
    const upstream = new Upstream();
    const { results } = await upstream.run([
      { tool: "read", for_each: [20, 500], args: { ms: { $ref: "item#" } } },
    ]);
    expect(results[0]).toMatchObject({
      status: "success",
      data: [{ status: "success" }, { status: "error", error: { code: "DEADLINE_EXCEEDED" } }],
    });
    expect(upstream.recorded).toEqual([]);
  });

  test("a batch whose caller went away before", async () => {
    const upstream = new Upstream();
    void upstream.world.clock.sleep(50).then(() => upstream.world.gone.abort());
    const { results } = await upstream.run([
      { tool: "put", args: { ms: 500 } },
      { tool: "serial", args: { ms: 500 } },
      { tool: "serial", args: { ms: 500 } },
    ]);
    expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
      ["unknown", "DEADLINE_EXCEEDED"],
      ["error", "CANCELLED"],
      ["error", "CANCELLED"],
    ]);
    expect(upstream.recorded).toEqual([]);
  });
});

test.each([
  ["never", true],
  ["always", false],
] as const)("a read whose contract says confirm: %s may become a job: %s", (confirm, may) => {
  expect(isDemotable(contractOf("asked", { orchestration: { mode: "parallel-safe", confirm } }))).toBe(may);
});

test("a plan that does not demote ends its actions at the deadline", async () => {
  const upstream = new Upstream();
  const tools = [{ id: "1", toolName: "read", input: { ms: 90_000 } }];
  const catalog = createCatalog(upstream.tools);
  const plan = makeSerialPlan(makePartition(valueOf(parseBatchRequest({ tools }, 0)), catalog), catalog);
  const { outcomes } = valueOf(await upstream.world.clock.runUntil(executePlan(plan, upstream.execution())));
  expect(outcomes).toMatchObject([{ status: "error", error: { code: "DEADLINE_EXCEEDED" } }]);
  expect(upstream.recorded).toEqual([]);
});

test("a caller that goes away while its actions are recorded stops none of them", async () => {
  const upstream = new Upstream();
  upstream.world.gate.beforeAnswer = async ({ quota }) => {
    if (quota === null) upstream.world.gone.abort();
  };
  const { results } = await upstream.run([
    { tool: "put", args: { ms: 500 } },
    { tool: "read", args: { ms: 500 } },
  ]);
  expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated"]);
  await upstream.world.drain();
  expect(results.map((result) => upstream.endOf(result)?.kind)).toEqual(["succeeded", "succeeded"]);
});

test("a batch that is over before its deadline asks nothing more of the gate", async () => {
  const upstream = new Upstream();
  await upstream.run([{ tool: "read", args: { ms: 50 } }, { tool: "put" }]);
  expect(upstream.world.gate.requests).toHaveLength(1);
});

trial(
  `${DEADLINES} random deadlines: one result each, jobs only of what may be repeated, each job ended once`,
  async () => {
    const names = ["read", "serial", "retried", "write", "put", "keyed", "post"] as const;
    const action = fc.record({
      tool: fc.constantFrom(...names),
      ms: fc.integer({ min: 0, max: 300 }),
      status: fc.constantFrom(200, 200, 200, 404, 503),
      after: fc.option(fc.nat(), { freq: 2 }),
      loop: fc.option(fc.constant([1, 2]), { freq: 8 }),
    });
    const fates = fc.record({
      actions: fc.array(action, { minLength: 1, maxLength: 8 }),
      onError: fc.constantFrom("fail-fast", "partial-success"),
      gate: fc.constantFrom("quick", "slow", "silent", "down", "full"),
      goneAt: fc.option(fc.integer({ min: 0, max: 150 }), { freq: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fates, async ({ actions, onError, gate, goneAt }) => {
        const upstream = new Upstream();
        const { world } = upstream;
        const settles: string[] = [];
        const settle = world.gate.settle.bind(world.gate);
        world.gate.settle = (id, ...rest) => {
          settles.push(id);
          return settle(id, ...rest);
        };
        if (goneAt !== null) void world.clock.sleep(goneAt).then(() => world.gone.abort());
        world.gate.beforeAnswer = async ({ quota }) => {
          const late = quota === null;
          world.gate.down = late && gate === "down";
          world.gate.refuseJobsWith = late && gate === "full" ? "BACKLOG_FULL" : null;
          if (late && gate === "slow") await world.clock.sleep(100);
          if (late && gate === "silent") await world.clock.sleep(3_000);
        };
        const { results, answeredAt } = await upstream.run(
          actions.map(({ tool, ms, status, after, loop }, index) => ({
            tool,
            args: { n: index, ms, status },
            ...(after !== null && index > 0 && { depends_on: [`a${after % index}`] }),
            ...(loop !== null && { for_each: loop }),
          })),
          { on_error: onError },
        );
        expect(results.map(({ id }) => id)).toEqual(actions.map((_, index) => `a${index}`));
        expect(answeredAt).toBeLessThanOrEqual(gate === "silent" ? 3_300 : 300);
        await world.drain();

        const demoted = results.filter(({ meta }) => "demoted" in meta);
        for (const { tool } of upstream.recorded) expect(tool).not.toBe("write");
        for (const { tool, job_id } of demoted) {
          expect(["read", "serial", "retried", "put", "keyed"]).toContain(tool);
          expect(world.gate.settled.get(job_id!)?.kind).toMatch(/succeeded|failed|lost/);
        }
        for (const [index, { tool, loop }] of actions.entries()) {
          const sent = upstream.requests.filter(({ n }) => n === index).length;
          expect(sent).toBeLessThanOrEqual(
            (loop?.length ?? 1) * (tool === "retried" ? LIMITS.syncAttempts : 1),
          );
        }
        expect(new Set(settles).size).toBe(settles.length);
        // Nothing of it is under way any more.
        upstream.invocation.abort();
        await upstream.world.clock.advance(0);
        expect(upstream.active).toBe(0);
        await world.clock.advance(200);
        expect(world.clock.pending).toBe(0);
      }),
      { numRuns: DEADLINES },
    );
  },
);
