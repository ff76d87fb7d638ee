import type { Catalog } from "../catalog/catalog.ts";
import type { JobClaim } from "../contract/job.ts";
import { LIMITS } from "../contract/limits.ts";
import { Semaphore } from "../kit/semaphore.ts";
import type { Gate } from "./ports.ts";
import type { RequestScope } from "./run-action.ts";
import { runAttempt } from "./run-attempt.ts";

const NEVER = new AbortController().signal;

/**
 * Run the first attempts of a batch's jobs after they were recorded, under their tools' caps.
 *
 * They have the time that the platform grants after an answer. An attempt that found no room in it is given back
 * unstarted, so it costs no attempt and an at-most-once job stays certain never to have been sent. Whatever is cut off
 * is covered by the job's lease: the object's alarm takes over when it runs out.
 */
export class FirstAttempts {
  readonly #catalog: Catalog;
  readonly #scope: RequestScope;
  readonly #gate: Gate;
  readonly #endsAt: number;
  readonly #caps = new Map<string, Semaphore>();

  constructor(catalog: Catalog, scope: RequestScope, gate: Gate) {
    this.#catalog = catalog;
    this.#scope = scope;
    this.#gate = gate;
    this.#endsAt = scope.ports.clock.now() + LIMITS.firstAttemptMs;
  }

  /** Run one job's first attempt and report its end. Waits at most as long as the attempts before it may take. */
  async run(claim: JobClaim): Promise<void> {
    const release = await this.#capOf(claim.spec.tool).acquire(NEVER);
    const budgetMs = this.#endsAt - this.#scope.ports.clock.now();
    const end =
      budgetMs <= 0
        ? ({ kind: "released" } as const)
        : await runAttempt(claim, this.#catalog, this.#scope, budgetMs);
    release();
    await this.#gate.settle(claim.spec.id, claim.fence, end);
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
