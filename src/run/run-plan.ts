import { type Failure, makeFailure } from "../contract/failure.ts";
import { isMet, type Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import type { Call, Plan, Step } from "../plan/make-plan.ts";
import type { Running } from "./run-action.ts";

/** How to start a step whose dependencies are met and whose tool has room for it. */
export type StartStep = (step: Step, call: Call, queuedMs: number) => Running;

export interface PlanRunOptions {
  readonly clock: Clock;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  /** Called once for every step, the moment its outcome is known. */
  readonly onOutcome: (step: Step, outcome: Outcome) => void;
}

/** A finished run: one outcome for every step, in the plan's order. */
export interface PlanResult {
  readonly outcomes: readonly Outcome[];
  /** The most actions that were under way at one moment. */
  readonly maxParallelism: number;
  /** Resolves when nothing of the plan is under way any more: writes that outlived the deadline included. */
  readonly drained: Promise<unknown>;
}

/** Run a plan: every step starts the moment its dependencies and its tool's cap allow. */
export function runPlan(plan: Plan, start: StartStep, options: PlanRunOptions): Promise<PlanResult> {
  return new PlanRun(plan, start, options).run();
}

interface Pool {
  free: number;
  /** Ready steps in the order they became ready. */
  readonly ready: { readonly step: Step; readonly call: Call; readonly since: number }[];
}

class PlanRun {
  readonly #plan: Plan;
  readonly #start: StartStep;
  readonly #options: PlanRunOptions;
  readonly #outcomes: (Outcome | undefined)[];
  /** For every step, how many of its needs have no outcome yet. */
  readonly #unmet: number[];
  readonly #dependents: number[][];
  readonly #pools = new Map<string, Pool>();
  readonly #running = new Map<number, Running>();
  readonly #finished = Promise.withResolvers<void>();
  /** The real end of everything that was started, answered or not. */
  readonly #ends: Promise<void>[] = [];
  #left: number;
  #initiated = 0;
  #maxParallelism = 0;
  #stopped = false;

  constructor(plan: Plan, start: StartStep, options: PlanRunOptions) {
    this.#plan = plan;
    this.#start = start;
    this.#options = options;
    this.#left = plan.steps.length;
    this.#outcomes = plan.steps.map(() => undefined);
    this.#unmet = plan.steps.map(({ needs }) => needs.length);
    this.#dependents = plan.steps.map(() => []);
    for (const { index, needs } of plan.steps)
      for (const needed of needs) this.#dependents[needed]!.push(index);
  }

  async run(): Promise<PlanResult> {
    const { clock, signal } = this.#options;
    const cancelDeadline = clock.after(this.#plan.deadlineMs, () => this.#onDeadline());
    const onDisconnect = (): void => this.#onDisconnect();
    signal.addEventListener("abort", onDisconnect, { once: true });

    // What was wrong from the beginning fails before anything starts: under fail-fast nothing may start after it.
    for (const step of this.#plan.steps) {
      if (!step.call.ok) this.#settle(step, { status: "error", error: step.call.error, meta: {} });
    }
    for (const step of this.#plan.steps) {
      if (this.#unmet[step.index] === 0 && this.#outcomes[step.index] === undefined) this.#makeReady(step);
    }
    if (signal.aborted) this.#onDisconnect();

    await this.#finished.promise;
    cancelDeadline();
    signal.removeEventListener("abort", onDisconnect);
    // Every place is filled: #left reached 0.
    return {
      outcomes: this.#outcomes as Outcome[],
      maxParallelism: this.#maxParallelism,
      drained: Promise.all(this.#ends),
    };
  }

  #makeReady(step: Step): void {
    if (!step.call.ok) return;
    const call = step.call.value;
    if (call.tool.execution === "fire-and-forget") {
      this.#begin(step, call, 0, null);
      return;
    }
    let pool = this.#pools.get(call.tool.name);
    if (pool === undefined) {
      pool = { free: call.tool.concurrency, ready: [] };
      this.#pools.set(call.tool.name, pool);
    }
    pool.ready.push({ step, call, since: this.#options.clock.now() });
    this.#fill(pool);
  }

  #fill(pool: Pool): void {
    while (pool.free > 0 && !this.#stopped) {
      const next = pool.ready.shift();
      if (next === undefined) return;
      pool.free -= 1;
      this.#begin(next.step, next.call, Math.max(0, this.#options.clock.now() - next.since), pool);
    }
  }

  #begin(step: Step, call: Call, queuedMs: number, pool: Pool | null): void {
    const running = this.#start(step, call, queuedMs);
    this.#running.set(step.index, running);
    this.#ends.push(running.finished);
    this.#maxParallelism = Math.max(this.#maxParallelism, this.#running.size + this.#initiated);
    void running.outcome.then((outcome) => {
      this.#running.delete(step.index);
      if (outcome.status === "initiated") this.#initiated += 1;
      if (pool !== null) pool.free += 1;
      this.#settle(step, outcome);
      if (pool !== null) this.#fill(pool);
    });
  }

  #settle(step: Step, outcome: Outcome): void {
    if (this.#outcomes[step.index] !== undefined) return;
    this.#outcomes[step.index] = outcome;
    this.#left -= 1;
    this.#options.onOutcome(step, outcome);
    const met = isMet(outcome);
    if (!met && this.#plan.onError === "fail-fast") this.#onFailFast(step);
    for (const index of this.#dependents[step.index]!) {
      const dependent = this.#plan.steps[index]!;
      this.#unmet[index]! -= 1;
      if (!met) this.#settle(dependent, skippedAfter(step, outcome));
      else if (this.#unmet[index] === 0 && this.#outcomes[index] === undefined && !this.#stopped)
        this.#makeReady(dependent);
    }
    if (this.#left === 0) this.#finished.resolve();
  }

  #onFailFast(failed: Step): void {
    if (this.#stopped) return;
    this.#stopped = true;
    const aborted = makeFailure("ABORTED", {
      hint: `Action '${failed.id}' failed first; fix it and send the batch again.`,
    });
    for (const running of this.#running.values()) running.stop(aborted, "wait");
    // Dependents of the failed action say DEPENDENCY_FAILED; their own settling comes right after this.
    const descendants = this.#descendantsOf(failed.index);
    this.#settleUnstarted((step) => (descendants.has(step.index) ? null : skipped("ABORTED", failed.id)));
  }

  #onDeadline(): void {
    if (this.#stopped && this.#left === 0) return;
    this.#stopped = true;
    const exceeded = makeFailure("DEADLINE_EXCEEDED", {
      hint: `The batch had ${this.#plan.deadlineMs} ms; ask for less at once or raise deadline_ms.`,
    });
    this.#settleUnstarted(() => ({ status: "error", error: exceeded, meta: {} }));
    for (const running of this.#running.values()) running.stop(exceeded, "report-unknown");
  }

  #onDisconnect(): void {
    this.#stopped = true;
    const cancelled = makeFailure("CANCELLED");
    this.#settleUnstarted(() => ({ status: "error", error: cancelled, meta: {} }));
    for (const running of this.#running.values()) running.stop(cancelled, "wait");
  }

  #settleUnstarted(outcomeOf: (step: Step) => Outcome | null): void {
    for (const step of this.#plan.steps) {
      if (this.#outcomes[step.index] !== undefined || this.#running.has(step.index) || !step.call.ok)
        continue;
      const outcome = outcomeOf(step);
      if (outcome !== null) this.#settle(step, outcome);
    }
  }

  #descendantsOf(index: number): Set<number> {
    const found = new Set<number>();
    const pending = [index];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      for (const dependent of this.#dependents[at]!) {
        if (found.has(dependent)) continue;
        found.add(dependent);
        pending.push(dependent);
      }
    }
    return found;
  }
}

function skipped(code: "DEPENDENCY_FAILED" | "ABORTED", because: string): Outcome {
  const failure: Failure = makeFailure(code, {
    hint: `It was not run because of '${because}'; nothing was sent.`,
  });
  return { status: "skipped", error: failure, because, meta: {} };
}

/** A skipped action passes on why it was skipped itself, so `because` always names the action that failed. */
function skippedAfter(step: Step, outcome: Outcome): Outcome {
  if (outcome.status !== "skipped") return skipped("DEPENDENCY_FAILED", step.id);
  return skipped(outcome.error.code === "ABORTED" ? "ABORTED" : "DEPENDENCY_FAILED", outcome.because);
}
