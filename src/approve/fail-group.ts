import type { ParkedGroup } from "../contract/gate/confirmation.ts";
import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import { skipped } from "../answer/skipped-outcome.ts";

/**
 * Say what becomes of a group's actions when the gated ones fail: they do, and what needs one of them is skipped because
 * of it, like after any failure. Nothing of it was sent.
 *
 * @param needs for every action, the positions of those it needs; acyclic
 */
export function failParkedGroup(
  actions: readonly Pick<ParkedGroup["actions"][number], "id" | "gated" | "needs">[],
  failure: Failure,
): Outcome[] {
  const cause = new Map<number, string>();
  const causeOf = (at: number): string => {
    const { id, gated, needs } = actions[at]!;
    const known = cause.get(at) ?? (gated || needs.length === 0 ? id : causeOf(needs[0]!));
    cause.set(at, known);
    return known;
  };
  return actions.map(({ gated }, at): Outcome => {
    if (gated) return { status: "error", error: failure, meta: {} };
    return skipped("DEPENDENCY_FAILED", causeOf(at));
  });
}
