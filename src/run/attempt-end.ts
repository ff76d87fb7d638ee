import { type Failure, toWireFailure } from "../contract/failure.ts";
import type { AttemptEnd } from "../contract/gate/job.ts";
import type { Outcome } from "../contract/outcome.ts";

/** Translate what became of one call to how the attempt of its job ended. */
export function toAttemptEnd(outcome: Outcome): AttemptEnd {
  switch (outcome.status) {
    case "success":
      return { kind: "succeeded", dataJson: outcome.json };
    case "unknown":
      return { kind: "lost", error: toWireFailure(outcome.error) };
    case "error":
      // Kept in here by an open breaker: no attempt was made, so none is counted.
      return outcome.error.code === "CIRCUIT_OPEN" && outcome.meta.attempts === 0
        ? { kind: "deferred", error: toWireFailure(outcome.error) }
        : failedAttempt(outcome.error);
    case "initiated":
    case "pending_confirmation":
    case "skipped":
      throw new Error(`Cannot end an attempt as '${outcome.status}'`);
  }
}

/** An attempt that ended in this failure. */
export function failedAttempt(failure: Failure): AttemptEnd {
  return { kind: "failed", error: toWireFailure(failure) };
}
