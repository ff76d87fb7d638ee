import { type Failure, makeFailure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";

/** An action that failed before anything of it was sent. */
export function failUnsent(error: Failure): Extract<Outcome, { readonly status: "error" }> {
  // One that may be recorded after all runs later.
  const isCertain = error.code !== "OUTBOX_UNAVAILABLE";
  return { status: "error", error, meta: isCertain ? { sentNothing: true } : {} };
}

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
