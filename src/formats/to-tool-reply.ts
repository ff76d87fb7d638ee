import { type Failure, toWireFailure } from "../contract/failure.ts";
import { type Outcome, toWirePending } from "../contract/outcome.ts";
import { type Refusal, toProblem } from "../contract/refusal.ts";
import type { ToolReply } from "./provider-turn.ts";

/**
 * Say to a model what became of its call: the data where it succeeded, otherwise the status and what goes with it, so
 * that nothing that did not happen can be taken for data.
 */
export function toToolReply(outcome: Outcome): ToolReply {
  switch (outcome.status) {
    case "success":
      return { json: (outcome.shown ?? outcome).json, failed: false };
    case "initiated":
      return { json: JSON.stringify({ status: outcome.status, job_id: outcome.jobId }), failed: false };
    case "pending_confirmation": {
      const { status, confirmation } = outcome;
      return { json: JSON.stringify({ status, confirmation: toWirePending(confirmation) }), failed: false };
    }
    case "error":
    case "skipped":
    case "unknown":
      return toFailedReply(outcome.status, outcome.error);
  }
}

/** Say that a call failed before it became an action. */
export function toFailedReply(status: "error" | "skipped" | "unknown", failure: Failure): ToolReply {
  return { json: JSON.stringify({ status, error: toWireFailure(failure) }), failed: true };
}

/** Say that a call of `execute_actions` was refused whole: a model wrote that batch, so it is told what to change. */
export function toRefusedReply(refusal: Refusal): ToolReply {
  const { code, title, detail, path, expected, received, retry_after_ms } = toProblem(refusal);
  const error = { code, message: title, retry_after_ms, hint: detail, path, expected, received };
  return { json: JSON.stringify({ status: "error", error }), failed: true };
}
