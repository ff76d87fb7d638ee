import type { Tool } from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { CallTrace } from "../egress/egress.ts";

/**
 * Say what a failure means. A write that was sent and not clearly refused may have happened: that is `unknown`, so
 * nobody repeats it blindly. A write that is not idempotent is never called retryable once it was sent, except when
 * the upstream turned it away for its rate.
 */
export function toFailedOutcome(
  failure: Failure,
  { tool, trace, isAnswered, maySendAgain, meta }: FailedCall,
): Outcome {
  if (!tool.isWrite || !trace.sent) return { status: "error", error: failure, meta };
  // A redirect says nothing about whether the request before it took effect.
  const refused = isAnswered || (trace.status !== null && trace.status >= 400);
  if (!refused) return { status: "unknown", error: inDoubt(failure, maySendAgain), meta };
  if (maySendAgain || failure.code === "RATE_LIMITED") return { status: "error", error: failure, meta };
  return { status: "error", error: failure.retryable ? inDoubt(failure, false) : failure, meta };
}

interface FailedCall {
  readonly tool: Tool;
  readonly trace: CallTrace;
  /** The service itself said that it failed, whatever the status. */
  readonly isAnswered: boolean;
  /** Whether whoever reads of the failure may send the write again. */
  readonly maySendAgain: boolean;
  readonly meta: Outcome["meta"];
}

/** A failure after which nobody knows whether the write took effect: what to do about that matters more than its cause. */
export function inDoubt(failure: Failure, maySendAgain: boolean): Failure {
  const hint = maySendAgain
    ? "It was sent, and whether it took effect is not known; sending it again is safe."
    : "It was sent, and whether it took effect is not known: look before you send it again.";
  return { ...failure, retryable: maySendAgain, hint };
}
