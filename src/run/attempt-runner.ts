import type { Catalog } from "../catalog/catalog.ts";
import type { Tool } from "../catalog/define-tool.ts";
import { toWireFailure } from "../contract/failure.ts";
import type { AttemptEnd, JobClaim } from "../contract/gate/job.ts";
import type { GlobalLimits } from "../contract/gate/permit.ts";
import { Semaphore } from "../kit/semaphore.ts";
import { CallPermits } from "./call-permits.ts";
import type { CallScope } from "./call-scope.ts";
import { runAttempt } from "./run-attempt.ts";

const NEVER = new AbortController().signal;

/**
 * Run attempts of background jobs under their tools' caps: the same whether they are a batch's first attempts, running
 * after the answer, or later ones in an object's alarm.
 *
 * An attempt for which no time is left when its turn comes is given back unstarted, and one that finds no room under its
 * tool's global limits is deferred. It then costs no attempt, and an at-most-once job stays certain never to have been
 * sent.
 */
export class AttemptRunner {
  readonly #catalog: Catalog;
  readonly #scopeOf: () => CallScope;
  readonly #caps = new Map<string, Semaphore>();

  /** @param scopeOf what the next attempt shares with others: header slots, and the bytes it may read */
  constructor(catalog: Catalog, scopeOf: () => CallScope) {
    this.#catalog = catalog;
    this.#scopeOf = scopeOf;
  }

  /**
   * Run one attempt. It waits for its turn at most as long as the attempts before it may take, because each of them
   * ends by its own `endsAt`.
   *
   * @param endsAt when the attempt must be over, in the clock's milliseconds
   */
  async run(claim: JobClaim, endsAt: number): Promise<AttemptEnd> {
    const release = await this.#capOf(claim.spec.tool).acquire(NEVER);
    try {
      const scope = this.#scopeOf();
      const budgetMs = endsAt - scope.ports.clock.now();
      if (budgetMs <= 0) return { kind: "released" };
      const tool = this.#catalog.get(claim.spec.tool);
      const limits = tool?.globalLimits ?? null;
      if (tool === undefined || limits === null)
        return await runAttempt(claim, this.#catalog, scope, budgetMs);
      return await this.#runPermitted(claim, { scope, tool, limits, endsAt });
    } finally {
      release();
    }
  }

  /** Wait for a permit as long as a whole call still fits behind the wait, or else for half of the time. */
  async #runPermitted(
    claim: JobClaim,
    { scope, tool, limits, endsAt }: { scope: CallScope; tool: Tool; limits: GlobalLimits; endsAt: number },
  ): Promise<AttemptEnd> {
    const { clock } = scope.ports;
    const budgetMs = endsAt - clock.now();
    const permits = new CallPermits(tool, limits, {
      ...scope,
      timeoutMs: Math.min(tool.timeoutMs, budgetMs),
      waitUntilMs: endsAt - Math.min(tool.timeoutMs, budgetMs / 2),
    });
    const denied = await permits.take();
    if (denied !== null) return { kind: "deferred", error: toWireFailure(denied) };
    try {
      return await runAttempt(claim, this.#catalog, scope, endsAt - clock.now(), permits);
    } finally {
      permits.release();
    }
  }

  #capOf(toolName: string): Semaphore {
    let cap = this.#caps.get(toolName);
    if (cap === undefined) {
      cap = new Semaphore(this.#catalog.get(toolName)?.concurrency ?? 1);
      this.#caps.set(toolName, cap);
    }
    return cap;
  }
}
