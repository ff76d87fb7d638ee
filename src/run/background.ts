import { makeFailure } from "../contract/failure.ts";
import type { JobClaim, JobSpec } from "../contract/job.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Call, Plan, Step } from "../plan/make-plan.ts";
import type { AttemptRunner } from "./attempt-runner.ts";
import type { Gate, Ports } from "./ports.ts";
import type { Running } from "./run-action.ts";

/** Make the jobs of a plan's fire-and-forget steps, by step. Making one records nothing yet. */
export function makeJobs(plan: Plan, ports: Ports): ReadonlyMap<number, JobSpec> {
  const jobs = new Map<number, JobSpec>();
  for (const { index, call } of plan.steps) {
    if (call.ok && call.value.tool.execution === "fire-and-forget")
      jobs.set(index, makeJob(call.value, ports.newId()));
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

/** Start a batch's background jobs. `initiated` is only ever said of a job whose row is durable. */
export class Background {
  readonly #jobs: ReadonlyMap<number, JobSpec>;
  readonly #fences: ReadonlyMap<number, number>;
  readonly #gate: Gate;
  readonly #attempts: AttemptRunner;
  readonly #attemptsEndAt: number;
  readonly #defer: (work: Promise<unknown>) => void;

  constructor(options: {
    readonly jobs: ReadonlyMap<number, JobSpec>;
    /** Fences of the jobs that the admission recorded. */
    readonly fences: ReadonlyMap<number, number>;
    readonly gate: Gate;
    readonly attempts: AttemptRunner;
    /** When the platform may cut what runs after the answer. */
    readonly attemptsEndAt: number;
    readonly defer: (work: Promise<unknown>) => void;
  }) {
    this.#jobs = options.jobs;
    this.#fences = options.fences;
    this.#gate = options.gate;
    this.#attempts = options.attempts;
    this.#attemptsEndAt = options.attemptsEndAt;
    this.#defer = options.defer;
  }

  /** Start a fire-and-forget step; null when the step is not one. */
  start(step: Step): Running | null {
    const spec = this.#jobs.get(step.index);
    if (spec === undefined) return null;
    const fence = this.#fences.get(step.index);
    const outcome =
      fence === undefined ? this.#recordLate(step.index, spec) : Promise.resolve(this.#initiate(spec, fence));
    // A recording under way cannot be stopped without losing what it says; the gate's own timeout bounds it.
    return { outcome, finished: outcome.then(() => {}), stop: () => {} };
  }

  /** The first attempt begins behind the batch's own actions, so those take their header slots first. */
  #initiate(spec: JobSpec, fence: number): Outcome {
    const attempt = Promise.resolve().then(() => this.#attempt({ spec, attempt: 1, fence }));
    // When its end cannot be reported the lease runs out and the alarm takes over.
    this.#defer(attempt.catch(() => {}));
    return { status: "initiated", jobId: spec.id, meta: {} };
  }

  async #attempt(claim: JobClaim): Promise<void> {
    const end = await this.#attempts.run(claim, this.#attemptsEndAt);
    await this.#gate.settle(claim.spec.id, claim.fence, end);
  }

  /** Record a job that had to wait for other actions. */
  async #recordLate(index: number, spec: JobSpec): Promise<Outcome> {
    try {
      const answer = await this.#gate.admit({
        quota: null,
        draws: [],
        jobs: [{ index, spec }],
        allOrNothing: false,
      });
      const [recorded] = answer.recorded;
      if (recorded !== undefined) return this.#initiate(spec, recorded.fence);
      return {
        status: "error",
        error: makeFailure(answer.refusedJobs[0]?.code ?? "OUTBOX_UNAVAILABLE"),
        meta: {},
      };
    } catch {
      return { status: "error", error: makeFailure("OUTBOX_UNAVAILABLE"), meta: {} };
    }
  }
}
