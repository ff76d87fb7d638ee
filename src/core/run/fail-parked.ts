import type { ParkedGroup } from "../contract/gate/parked-group.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { ParkedStep } from "../plan/parked-step.ts";
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

/** Say what becomes of steps that wait for a person, where the Worker has no confirmations. */
export function refuseParked(parked: readonly ParkedStep[]): ReadonlyMap<number, Outcome> {
  const position = new Map(parked.map(({ step }, at) => [step.index, at]));
  const actions = parked.map(({ step, begun }) => ({
    id: step.id,
    gated: step.parking === "gated" || step.mayAsk === true || begun !== undefined,
    needs: step.needs.flatMap((needed) => position.get(needed) ?? []),
    ...(begun !== undefined && { begun }),
  }));
  return new Map(
    failParkedGroup(actions, UNASKED).map((outcome, at) => [parked[at]!.step.index, outcome] as const),
  );
}

const UNASKED = makeFailure("MISCONFIGURED", {
  hint: "It needs a person's approval, and this Worker does not list the feature 'confirmations'; nothing was sent.",
});
