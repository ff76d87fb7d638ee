import type { Failure } from "../../core/contract/failure.ts";
import type { ParkedGroup } from "./parked-group.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import { failParkedGroup } from "../../core/run/fail-parked.ts";

/** Say what becomes of a group's actions when the gated ones fail: nothing of it was sent, except by a flow before it asked. */
export function failGroup(
  actions: readonly Pick<ParkedGroup["actions"][number], "id" | "gated" | "needs" | "begun">[],
  failure: Failure,
): Outcome[] {
  return failParkedGroup(actions, failure).map((outcome, at): Outcome => {
    if (outcome.status !== "error" || actions[at]!.begun === undefined) return outcome;
    return { status: "error", error: { ...failure, retryable: false, hint: BEGUN }, meta: {} };
  });
}

const BEGUN =
  "The flow had begun: what it asked about was not sent, and what it had done before stays. Look what is there before you call it again.";
