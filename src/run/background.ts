import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JobClaim, JobSpec } from "../contract/job.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Result } from "../kit/result.ts";
import type { Call, Plan } from "../plan/step.ts";
import type { AttemptRunner } from "./attempt-runner.ts";
import type { Gate, Ports } from "./ports.ts";
import { combineElements } from "./run-loop.ts";
import type { Queued } from "./tool-pools.ts";

/**
 * Make the jobs of a plan that its admission can record, by step: fire-and-forget steps that wait for nothing. Making
 * one records nothing yet; the others are recorded when their turn comes.
 */
export function makeJobs(plan: Plan, ports: Ports): ReadonlyMap<number, JobSpec> {
  const jobs = new Map<number, JobSpec>();
  for (const { index, needs, task } of plan.steps) {
    if (
      !task.ok ||
      task.value.tool.execution !== "fire-and-forget" ||
      needs.length > 0 ||
      task.value.call === null
    )
      continue;
    jobs.set(index, makeJob(task.value.call, ports.newId()));
  }
  return jobs;
}

function makeJob({ tool, input }: Call, id: string): JobSpec {
  return {
    id,
    tool: tool.name,
    argsJson: JSON.stringify(input),
    idempotencyKey: id,
    maxAttempts: LIMITS.jobAttempts,
    backoffInitialMs: tool.orchestration.backoff?.initial_ms ?? LIMITS.jobBackoffInitialMs,
    delivery: tool.delivery,
  };
}

export interface BackgroundOptions {
  readonly ports: Ports;
  /** Jobs of the admission, by step. */
  readonly jobs: ReadonlyMap<number, JobSpec>;
  /** Fences of those that it recorded. */
  readonly fences: ReadonlyMap<number, number>;
  readonly gate: Gate;
  readonly attempts: AttemptRunner;
  /** When the platform may cut what runs after the answer. */
  readonly attemptsEndAt: number;
  readonly defer: (work: Promise<unknown>) => void;
}

/** Start a batch's background jobs. `initiated` is only ever said of a job whose row is durable. */
export class Background {
  readonly #options: BackgroundOptions;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** Start a fire-and-forget step whose arguments are known. */
  start(index: number, call: Call): Queued {
    const { jobs, fences, ports } = this.#options;
    const spec = jobs.get(index);
    const fence = fences.get(index);
    if (spec !== undefined && fence !== undefined)
      return toQueued(Promise.resolve(this.#initiate(spec, fence)));
    const recorded = this.#record([makeJob(call, ports.newId())]);
    return toQueued(recorded.then(([outcome]) => outcome!));
  }

  /** Start a job for every element of a loop; all of them are recorded in one round trip. */
  startLoop(calls: readonly Result<Call, Failure>[]): Queued {
    const specs = calls.flatMap((call) =>
      call.ok ? [makeJob(call.value, this.#options.ports.newId())] : [],
    );
    const recorded = specs.length === 0 ? Promise.resolve([]) : this.#record(specs);
    const outcome = recorded.then((outcomes) => {
      const queue = [...outcomes];
      const elements = calls.map((call): Outcome =>
        call.ok ? queue.shift()! : { status: "error", error: call.error, meta: {} },
      );
      return combineElements(elements, false, 0);
    });
    return toQueued(outcome);
  }

  /** The first attempt begins behind the batch's own actions, so those take their header slots first. */
  #initiate(spec: JobSpec, fence: number): Outcome {
    const attempt = Promise.resolve().then(() => this.#attempt({ spec, attempt: 1, fence }));
    // When its end cannot be reported the lease runs out and the alarm takes over.
    this.#options.defer(attempt.catch(() => {}));
    return { status: "initiated", jobId: spec.id, meta: {} };
  }

  async #attempt(claim: JobClaim): Promise<void> {
    const { attempts, attemptsEndAt, gate } = this.#options;
    const end = await attempts.run(claim, attemptsEndAt);
    await gate.settle(claim.spec.id, claim.fence, end);
  }

  /** Record jobs that had to wait for other actions. */
  async #record(specs: readonly JobSpec[]): Promise<Outcome[]> {
    try {
      const jobs = specs.map((spec, index) => ({ index, spec }));
      const answer = await this.#options.gate.admit({ quota: null, draws: [], jobs, allOrNothing: false });
      const fences = new Map(answer.recorded.map(({ index, fence }) => [index, fence]));
      const refused = new Map(answer.refusedJobs.map(({ index, code }) => [index, code]));
      return jobs.map(({ index, spec }): Outcome => {
        const fence = fences.get(index);
        if (fence !== undefined) return this.#initiate(spec, fence);
        return { status: "error", error: makeFailure(refused.get(index) ?? "OUTBOX_UNAVAILABLE"), meta: {} };
      });
    } catch {
      return specs.map(() => ({ status: "error", error: makeFailure("OUTBOX_UNAVAILABLE"), meta: {} }));
    }
  }
}

/** A recording under way cannot be stopped without losing what it says; the gate's own timeout bounds it. */
function toQueued(outcome: Promise<Outcome>): Queued {
  return { outcome, finished: outcome.then(() => {}), started: true, stop: () => {} };
}
