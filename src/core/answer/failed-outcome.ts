import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { CallTrace } from "../egress/egress.ts";

/**
 * Say what a failure means. A write that was sent and not clearly refused may have happened: that is `unknown`, so that a caller
 * does not repeat it blindly. An answer of 408 or 5xx refuses nothing either: it is an `error` in doubt, and so is whatever comes
 * after such an answer in the same call. Both are retryable only if they may be sent again.
 */
export function toFailedOutcome(
  failure: Failure,
  { tool, trace, isAnswered, maySendAgain, meta }: FailedCall,
): Outcome {
  if (!tool.isWrite || !trace.sent) return { status: "error", error: failure, meta };
  if (!isRefused(trace, isAnswered))
    return { status: "unknown", error: inDoubt(failure, maySendAgain), meta };
  // A service that says that it broke, and may take the same again, does not say what it had done by then.
  if (trace.inDoubt !== true && !(isAnswered && failure.retryable))
    return { status: "error", error: failure, meta };
  const error = maySendAgain ? failure : inDoubt(failure, false);
  return { status: "error", error, meta: { ...meta, inDoubt: true } };
}

/** Whether a call's last request was turned down. A redirect says nothing about whether the request before it took effect. */
export function isRefused({ status }: CallTrace, isAnswered: boolean): boolean {
  return isAnswered || (status !== null && status >= 400);
}

interface FailedCall {
  readonly tool: Tool;
  readonly trace: CallTrace;
  /** The service itself said that it failed, whatever the status. */
  readonly isAnswered: boolean;
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

/** An action that failed before anything of it was sent. */
export function failUnsent(error: Failure): Extract<Outcome, { readonly status: "error" }> {
  // One that may be recorded after all runs later.
  const isCertain = error.code !== "OUTBOX_UNAVAILABLE";
  return { status: "error", error, meta: isCertain ? { sentNothing: true } : {} };
}

/** An action, or an element of one, that was to begin when its batch was cancelled. */
export const NOT_BEGUN: Outcome = {
  status: "error",
  error: makeFailure("CANCELLED", { hint: "It was cancelled before it began; nothing of it was sent." }),
  meta: { sentNothing: true },
};

/** An action that was not run because of another, and of which nothing was sent. */
export function skipped(code: "DEPENDENCY_FAILED" | "ABORTED", because: string): Outcome {
  const hint = `It was not run because of '${because}'; nothing was sent.`;
  return { status: "skipped", error: makeFailure(code, { hint }), because, meta: {} };
}

/**
 * Make the outcome of an action that needs one which ended like this. A skipped one passes on why it was skipped itself, so
 * `because` always names the action that failed.
 */
export function skippedAfter(id: string, outcome: Outcome): Outcome {
  if (outcome.status !== "skipped") return skipped("DEPENDENCY_FAILED", id);
  return skipped(outcome.error.code === "ABORTED" ? "ABORTED" : "DEPENDENCY_FAILED", outcome.because);
}
