import type { Tool } from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { CallTrace } from "../egress/egress.ts";

/**
 * Say what a failure means. A write that was sent and not clearly refused may have happened: that is `unknown`, so that a caller
 * does not repeat it blindly. A write that is not idempotent is never called retryable once it was sent, except when the upstream
 * turned it away for its rate. A job is repeated by the outbox, which also takes the other statuses at their word that say "not
 * now".
 */
export function toFailedOutcome(
  failure: Failure,
  { tool, trace, isAnswered, isJob, maySendAgain, meta }: FailedCall,
): Outcome {
  if (!tool.isWrite || !trace.sent) return { status: "error", error: failure, meta };
  // A redirect says nothing about whether the request before it took effect.
  const refused = isAnswered || (trace.status !== null && trace.status >= 400);
  if (!refused) return { status: "unknown", error: inDoubt(failure, maySendAgain), meta };
  const isTurnedAway = failure.code === "RATE_LIMITED" || (isJob && NOT_NOW.has(failure.upstreamStatus));
  if (maySendAgain || isTurnedAway) return { status: "error", error: failure, meta };
  return { status: "error", error: failure.retryable ? inDoubt(failure, false) : failure, meta };
}

/** Statuses that say that the request was not acted on, and may be sent again later. */
const NOT_NOW: ReadonlySet<number | undefined> = new Set([408, 425, 503]);

interface FailedCall {
  readonly tool: Tool;
  readonly trace: CallTrace;
  /** The service itself said that it failed, whatever the status. */
  readonly isAnswered: boolean;
  /** Whether it was an attempt of a job. */
  readonly isJob: boolean;
  /** Whether the reader of the failure may send the write again. */
  readonly maySendAgain: boolean;
  readonly meta: Outcome["meta"];
}

/** Word a failure that leaves open whether the write took effect: the advice about that matters more than its cause. */
export function inDoubt(failure: Failure, maySendAgain: boolean): Failure {
  const hint = maySendAgain
    ? "It was sent, and whether it took effect is not known; sending it again is safe."
    : "It was sent, and whether it took effect is not known: look before you send it again.";
  return { ...failure, retryable: maySendAgain, hint };
}
