import type { Failure } from "./failure.ts";

/** What was measured about one action. Absent means it does not apply: what never ran has no duration. */
export interface OutcomeMeta {
  /** From dispatch to the end, without waiting for our own caps. */
  readonly durationMs?: number;
  /** Waiting for a cap or a header slot after its dependencies were met. */
  readonly queuedMs?: number;
  readonly attempts?: number;
  /** Size of `data` as JSON, in bytes. */
  readonly bytes?: number;
}

/** What became of one action. Exactly one of these exists for every action of a batch. */
export type Outcome = { readonly meta: OutcomeMeta } & (
  | {
      readonly status: "success";
      readonly data: unknown;
      /** `data` as JSON: serialised once, when the tool returned, and never again. */
      readonly json: string;
    }
  | { readonly status: "error"; readonly error: Failure }
  | { readonly status: "initiated"; readonly jobId: string }
  | { readonly status: "skipped"; readonly error: Failure; readonly because: string }
  | { readonly status: "unknown"; readonly error: Failure }
);

export type OutcomeStatus = Outcome["status"];

/** Whether actions that depend on this one may run. */
export function isMet(outcome: Outcome): boolean {
  return outcome.status === "success" || outcome.status === "initiated";
}
