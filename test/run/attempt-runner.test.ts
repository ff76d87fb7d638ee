import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import type { Tool, ToolDeclaration } from "../../src/catalog/define-tool.ts";
import type { AttemptEnd, JobClaim } from "../../src/contract/gate/job.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import type { Orchestration } from "../../src/contract/orchestration.ts";
import { Semaphore } from "../../src/kit/semaphore.ts";
import { AttemptRunner } from "../../src/run/attempt-runner.ts";
import { ByteBudget } from "../../src/egress/read-body.ts";
import { TestWorld } from "../support/execute-batch.ts";
import { contractOf } from "../support/fake-actions.ts";

/** Runners of one tool, each in an invocation of its own, and how many of its calls were under way at once. */
class Invocations {
  readonly world = new TestWorld();
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
    const { ports, toolGates, clock } = this.world;
    const { options, origin } = this.world.execution([this.tool]);
    const runner = new AttemptRunner(
      ({ tool }) => createCatalog([this.tool]).get(tool),
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
    return runner.run(claimOf(args), clock.now() + budgetMs);
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
