import { type Failure, makeFailure } from "../contract/failure.ts";
import type { JobSpec } from "../contract/gate/job.ts";
import type { Outcome } from "../contract/outcome.ts";
import { type Plan, type Task, turnAway } from "../plan/step.ts";

const AGAIN = { retryAfterMs: 1_000 };

/**
 * Keep the part of a plan that may run although the limiter did not answer: reads whose tool declares it. Everything else becomes
 * a failure in its place. Null when nothing is left that could start.
 *
 * @param sent jobs that the limiter was sent: it may have recorded them all the same, and then they will run
 */
export function degradePlan(plan: Plan, sent: ReadonlyMap<number, JobSpec>): Plan | null {
  const steps = plan.steps.map((step) => {
    const failure = step.task.ok ? obstacleOf(step.task.value, sent.has(step.index)) : null;
    return failure === null ? step : turnAway(step, failure);
  });
  // A plan that runs has a first step that waits for nothing.
  return steps.some(({ task, needs }) => task.ok && needs.length === 0) ? { ...plan, steps } : null;
}

function obstacleOf({ tool }: Task, wasSent: boolean): Failure | null {
  if (tool.execution === "fire-and-forget") {
    const hint = wasSent
      ? PERHAPS_RECORDED
      : "The limiter did not answer in time, so this action was not recorded. Send it again.";
    return makeFailure("OUTBOX_UNAVAILABLE", { hint, ...AGAIN });
  }
  if (tool.whenLimiterDown === "run") return null;
  return makeFailure("OVERLOADED", { hint: uncountable(tool.isWrite), ...AGAIN });
}

/** The reason for a job that was sent to be recorded, when the answer did not come. */
export const PERHAPS_RECORDED =
  "The limiter did not answer in time. It may have recorded this action all the same, and then it will run: look whether it did before sending it again.";

/** Why an action was not sent while calls are not counted. */
export function uncountable(isWrite: boolean): string {
  return isWrite
    ? "The limiter did not answer, and no write is sent uncounted; nothing was sent. Send this action again."
    : "The limiter did not answer, and this tool is not called uncounted; nothing was sent. Send this action again.";
}

export function markDegraded(outcome: Outcome): Outcome {
  return { ...outcome, meta: { ...outcome.meta, limiter: "degraded" } };
}
