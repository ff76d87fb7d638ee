import type { ParkedGroup } from "../contract/gate/parked-group.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { ParkedStep } from "../plan/parked-step.ts";
import { failUnsent, skipped } from "../answer/skipped-outcome.ts";

/**
 * Say what becomes of a group's actions when the gated ones fail: they do, and what needs one of them is skipped because
 * of it, like after any failure.
 *
 * @param needs for every action, the positions of those it needs; acyclic
 */
export function failParkedGroup(
  actions: readonly Pick<ParkedGroup["actions"][number], "id" | "gated" | "needs">[],
  failure: Failure,
): Outcome[] {
  const causeOf = (at: number): string => {
    const { id, gated, needs } = actions[at]!;
    return gated || needs.length === 0 ? id : causeOf(needs[0]!);
  };
  return actions.map(({ gated }, at) =>
    gated ? failUnsent(failure) : skipped("DEPENDENCY_FAILED", causeOf(at)),
  );
}

/** Say what becomes of steps that wait for a person, where the Worker has no confirmations. */
export function refuseParked(parked: readonly ParkedStep[]): ReadonlyMap<number, Outcome> {
  const position = new Map(parked.map(({ step }, at) => [step.index, at]));
  const actions = parked.map(({ step: { id, parking, mayAsk, needs } }) => ({
    id,
    gated: parking === "gated" || mayAsk === true,
    needs: needs.flatMap((needed) => position.get(needed) ?? []),
  }));
  return new Map(
    failParkedGroup(actions, UNASKED).map((outcome, at) => [parked[at]!.step.index, outcome] as const),
  );
}

const UNASKED = makeFailure("MISCONFIGURED", {
  hint: "It needs a person's approval, and this Worker does not list the feature 'confirmations'; nothing was sent.",
});
