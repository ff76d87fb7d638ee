import type { Tool } from "../catalog/define-tool.ts";
import { toWireFailure } from "../contract/failure.ts";
import type { AttemptEnd, JobClaim, JobSpec } from "../contract/gate/job.ts";
import { Semaphore } from "../kit/semaphore.ts";
import { tellAttempt } from "../observe/attempt-line.ts";
import { CallPermits } from "./call-permits.ts";
import type { CallScope } from "./call-scope.ts";
import { runAttempt } from "./run-attempt.ts";
import { getOrMake } from "../kit/get-or-make.ts";

const NEVER = new AbortController().signal;

/** The tool that a job calls; undefined when there is none any more. */
export type ToolOf = (spec: JobSpec) => Tool | undefined;

/**
 * Run attempts of background jobs under their tools' caps: the same whether they are a batch's first attempts, running
 * after the answer, or later ones in an object's alarm.
 *
 * An attempt for which no time is left when its turn comes is given back unstarted, and one that finds no room under its
 * tool's global limits is deferred. It then costs no attempt, and an at-most-once job stays certain never to have been
 * sent.
 */
export class AttemptRunner {
  readonly #toolOf: ToolOf;
  readonly #scopeOf: () => CallScope;
  readonly #caps = new Map<string, Semaphore>();

  /** @param scopeOf what the next attempt shares with others: header slots, and the bytes it may read */
  constructor(toolOf: ToolOf, scopeOf: () => CallScope) {
    this.#toolOf = toolOf;
    this.#scopeOf = scopeOf;
  }

  /**
   * Run one attempt. It waits for its turn at most as long as the attempts before it may take, because each of them
   * ends by its own `endsAt`.
   *
   * @param endsAt when the attempt must be over, in the clock's milliseconds
   */
  async run(claim: JobClaim, endsAt: number): Promise<AttemptEnd> {
    const tool = this.#toolOf(claim.spec);
    const release = await this.#capOf(claim.spec.tool, tool?.concurrency ?? 1).acquire(NEVER);
    try {
      const scope = this.#scopeOf();
      const { clock, telemetry } = scope.ports;
      const startedAt = clock.now();
      const end = await this.#attempt(claim, tool, { scope, endsAt });
      tellAttempt(telemetry, { claim, end, durationMs: Math.max(0, clock.now() - startedAt) });
      return end;
    } finally {
      release();
    }
  }

  async #attempt(
    claim: JobClaim,
    tool: Tool | undefined,
    { scope, endsAt }: { scope: CallScope; endsAt: number },
  ): Promise<AttemptEnd> {
    const { clock } = scope.ports;
    const budgetMs = endsAt - clock.now();
    if (budgetMs <= 0) return { kind: "released" };
    const limits = tool?.globalLimits ?? null;
    if (tool === undefined || limits === null) return runAttempt(claim, tool, { scope, budgetMs });
    // It waits for a permit as long as a whole call still fits behind the wait, or else for half of the time.
    const permits = new CallPermits(tool, limits, {
      ...scope,
      timeoutMs: Math.min(tool.timeoutMs, budgetMs),
      waitUntilMs: endsAt - Math.min(tool.timeoutMs, budgetMs / 2),
    });
    const denied = await permits.take();
    if (denied !== null) return { kind: "deferred", error: toWireFailure(denied) };
    try {
      return await runAttempt(claim, tool, { scope, budgetMs: endsAt - clock.now(), permits });
    } finally {
      permits.release();
    }
  }

  /** A tool that was replaced with another cap has another: what began under the old one ends under it. */
  #capOf(toolName: string, concurrency: number): Semaphore {
    return getOrMake(this.#caps, `${toolName} ${concurrency}`, () => new Semaphore(concurrency));
  }
}
