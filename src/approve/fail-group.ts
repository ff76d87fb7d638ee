import type { ParkedGroup } from "../contract/gate/confirmation.ts";
import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import { skipped } from "../answer/skipped-outcome.ts";

/**
 * Say what becomes of a group's actions when the gated ones fail: they do, and what needs one of them is skipped because
 * of it, like after any failure. Nothing of it was sent, but for what a flow had done before it asked.
 *
 * @param needs for every action, the positions of those it needs; acyclic
 */
export function failParkedGroup(
  actions: readonly Pick<ParkedGroup["actions"][number], "id" | "gated" | "needs" | "begun">[],
  failure: Failure,
): Outcome[] {
  const causeOf = (at: number): string => {
    const { id, gated, needs } = actions[at]!;
    return gated || needs.length === 0 ? id : causeOf(needs[0]!);
  };
  return actions.map(({ gated, begun }, at): Outcome => {
    const error = begun === undefined ? failure : { ...failure, retryable: false, hint: BEGUN };
    if (gated) return { status: "error", error, meta: {} };
    return skipped("DEPENDENCY_FAILED", causeOf(at));
  });
}

const BEGUN =
  "The flow had begun: what it asked about was not sent, and what it had done before stays. Look what is there before you call it again.";
