import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import type { Tool, ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import type { AttemptEnd, JobClaim } from "../../../src/core/contract/gate/job.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Orchestration } from "../../../src/core/contract/orchestration.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { AttemptRunner } from "../../../src/core/run/attempt-runner.ts";
import { toAttemptEnd } from "../../../src/core/run/run-attempt.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { SeenOperator } from "../../support/seen-operator.ts";

/** Runners of one tool, each in an invocation of its own, and how many of its calls were under way at once. */
class Invocations {
  readonly world = new TestWorld();
  readonly operator = new SeenOperator();
  readonly tool: Tool;
  active = 0;
  peak = 0;
  calls = 0;

  constructor(orchestration: Orchestration, declaration: Partial<ToolDeclaration> = {}) {
    this.tool = contractOf("mail", {
      isWrite: true,
      execution: "fire-and-forget",
      ...declaration,
      orchestration,
      run: async (args) => {
        this.calls += 1;
        this.active += 1;
        this.peak = Math.max(this.peak, this.active);
        await this.world.clock.sleep((args as { ms: number }).ms);
        this.active -= 1;
        return "sent";
      },
    });
  }

  /** Run an attempt in an invocation that has `budgetMs` left. */
  attempt(args: object, budgetMs: number = LIMITS.firstAttemptMs): Promise<AttemptEnd> {
    return this.runner().run(claimOf(args), this.world.clock.now() + budgetMs);
  }

  /** The runner of one invocation. */
  runner(tools: readonly Tool[] = [this.tool]): AttemptRunner {
    const { toolGates } = this.world;
    const ports = { ...this.world.ports, telemetry: this.operator };
    const { options, origin } = this.world.execution([this.tool]);
    return new AttemptRunner(
      ({ tool }) => createCatalog(tools).get(tool),
      () => ({
        origin,
        ports,
        options,
        cache: null,
        toolGates,
        slots: new Semaphore(6),
        health: this.world.health,
        budget: new ByteBudget(options.requestResponseBytes),
      }),
    );
  }

  all(attempts: readonly Promise<AttemptEnd>[]): Promise<AttemptEnd[]> {
    return this.world.clock.runUntil(Promise.all(attempts));
  }
}

function claimOf(args: object): JobClaim {
  const spec = {
    id: "job",
    tool: "mail",
    argsJson: JSON.stringify(args),
    idempotencyKey: "job",
    maxAttempts: 5,
    backoffInitialMs: 1,
    delivery: "at-least-once",
  } as const;
  return { spec, attempt: 1, fence: 1 };
}

const ONE: Orchestration = { mode: "parallel-safe", global_concurrency: 1 };
const SENT: AttemptEnd = { kind: "succeeded", dataJson: '"sent"' };

describe("AttemptRunner.run() under global limits", () => {
  test("waits for the attempts of every other invocation", async () => {
    const invocations = new Invocations(ONE);
    const attempts = Array.from({ length: 4 }, () => invocations.attempt({ ms: 100 }));
    expect(await invocations.all(attempts)).toEqual([SENT, SENT, SENT, SENT]);
    expect(invocations.peak).toBe(1);
    expect(invocations.world.toolGates.liveOf("mail")).toBe(0);
  });

  test("defers, with nothing sent, an attempt for which no permit comes while a whole call still fits", async () => {
    const invocations = new Invocations(ONE, { timeoutMs: 10_000 });
    const epoch = invocations.world.clock.now();
    const holding = invocations.attempt({ ms: 9_000 }, 10_000);
    const [waited] = await invocations.all([invocations.attempt({ ms: 1 }, 12_000)]);
    expect(waited).toMatchObject({ kind: "deferred", error: { code: "OVERLOADED" } });
    expect(invocations.world.clock.now() - epoch).toBe(6_000);
    expect(await invocations.all([holding])).toEqual([SENT]);
    expect(invocations.calls).toBe(1);
  });

  test("defers for as long as the rate says", async () => {
    const invocations = new Invocations({
      mode: "parallel-safe",
      rate_limit: { limit: 1, window_s: 60, scope: "global" },
    });
    await invocations.all([invocations.attempt({ ms: 0 })]);
    expect(await invocations.all([invocations.attempt({ ms: 0 })])).toMatchObject([
      { kind: "deferred", error: { code: "RATE_LIMITED", retry_after_ms: 60_000 } },
    ]);
    expect(invocations.calls).toBe(1);
  });

  test("defers when the gate cannot be asked", async () => {
    const invocations = new Invocations(ONE);
    invocations.world.toolGates.down = true;
    expect(await invocations.all([invocations.attempt({ ms: 0 })])).toMatchObject([
      { kind: "deferred", error: { code: "OVERLOADED" } },
    ]);
    expect(invocations.calls).toBe(0);
  });

  test("gives the permit back when the tool no longer takes the arguments", async () => {
    const invocations = new Invocations(ONE, { input: z.strictObject({ ms: z.number() }) });
    expect(await invocations.all([invocations.attempt({ ms: "long" })])).toMatchObject([
      { kind: "failed", error: { code: "INVALID_ARGS" } },
    ]);
    expect(invocations.world.toolGates.asked).toHaveLength(1);
    expect(invocations.world.toolGates.liveOf("mail")).toBe(0);
  });
});

describe("AttemptRunner.run()", () => {
  const FREE: Orchestration = { mode: "parallel-safe" };
  const ALONE: Orchestration = { mode: "parallel-safe", max_concurrency: 1 };

  test("keeps a tool's own cap among the attempts of one invocation, and gives the place back of one that fails", async () => {
    const invocations = new Invocations(ALONE, { input: z.strictObject({ ms: z.number() }) });
    const epoch = invocations.world.clock.now();
    const runner = invocations.runner();
    const run = (args: object) => runner.run(claimOf(args), epoch + 10_000);
    const ends = await invocations.all([run({ ms: "long" }), run({ ms: 100 }), run({ ms: 100 })]);
    expect(ends).toMatchObject([{ kind: "failed" }, SENT, SENT]);
    expect(invocations.peak).toBe(1);
    expect(invocations.world.clock.now() - epoch).toBe(200);
  });

  test("gives back, unstarted, an attempt whose time is over when its turn comes", async () => {
    const invocations = new Invocations(ALONE);
    const runner = invocations.runner();
    const endsAt = invocations.world.clock.now() + 100;
    const run = () => runner.run(claimOf({ ms: 100 }), endsAt);
    expect(await invocations.all([run(), run()])).toEqual([
      { kind: "failed", error: expect.objectContaining({ code: "TIMEOUT" }) },
      { kind: "released" },
    ]);
    expect(invocations.calls).toBe(1);
  });

  test("ends a call with the invocation's time, where the tool has more", async () => {
    const invocations = new Invocations(FREE, { timeoutMs: 10_000 });
    const epoch = invocations.world.clock.now();
    const [end] = await invocations.all([invocations.attempt({ ms: 9_000 }, 500)]);
    expect(end).toMatchObject({ error: { code: "TIMEOUT" } });
    expect(invocations.world.clock.now() - epoch).toBe(500);
  });

  test("ends an attempt of a tool that is not there any more, and calls nothing", async () => {
    const invocations = new Invocations(FREE);
    const gone = invocations.runner([]).run(claimOf({ ms: 1 }), invocations.world.clock.now() + 1_000);
    expect(await invocations.all([gone])).toMatchObject([
      { kind: "failed", error: { code: "UNKNOWN_TOOL", retryable: false } },
    ]);
    expect(invocations.calls).toBe(0);
  });

  test("tells the operator how it ended, and how long it took from its turn on", async () => {
    const invocations = new Invocations(ALONE);
    const runner = invocations.runner();
    const endsAt = invocations.world.clock.now() + 10_000;
    await invocations.all([1, 2].map(() => runner.run(claimOf({ ms: 70 }), endsAt)));
    expect(invocations.operator.told("job_attempt")).toMatchObject([
      { end: "succeeded", tool: "mail", duration_ms: 70 },
      { end: "succeeded", tool: "mail", duration_ms: 70 },
    ]);
  });
});

describe("toAttemptEnd()", () => {
  const error = (code: "CIRCUIT_OPEN" | "UPSTREAM_ERROR", attempts: number): Outcome => ({
    status: "error",
    error: makeFailure(code),
    meta: { attempts },
  });

  test.each<[string, Outcome, AttemptEnd["kind"]]>([
    ["kept in by an open breaker is deferred", error("CIRCUIT_OPEN", 0), "deferred"],
    ["stopped by a breaker on its way has failed", error("CIRCUIT_OPEN", 1), "failed"],
    ["refused for another reason has failed", error("UPSTREAM_ERROR", 0), "failed"],
    ["without a known end is lost", { status: "unknown", error: makeFailure("TIMEOUT"), meta: {} }, "lost"],
  ])("a call %s", (_, outcome, kind) => {
    expect(toAttemptEnd(outcome).kind).toBe(kind);
  });

  test("refuses what no single call comes to", () => {
    for (const status of ["initiated", "skipped", "pending_confirmation"] as const)
      expect(() => toAttemptEnd({ status } as Outcome)).toThrow(`Cannot end an attempt as '${status}'`);
  });
});
