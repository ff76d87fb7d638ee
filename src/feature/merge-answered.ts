import type { Outcome } from "../core/contract/outcome.ts";
import type { Plan, Step } from "../core/plan/step.ts";

/** Put what ran among what is answered without being run. @param order all actions of the answer, those that ran by their ids */
export function mergeAnswered(
  order: readonly (string | readonly [Step, Outcome])[],
  { steps, ...plan }: Plan,
  outcomes: readonly Outcome[],
): { readonly plan: Plan; readonly outcomes: readonly Outcome[] } {
  const places = new Map(order.map((one, at) => [typeof one === "string" ? one : one[0].id, at]));
  const placesOf = (indexes: readonly number[]): readonly number[] =>
    indexes.flatMap((index) => places.get(steps[index]!.id) ?? []);
  const merged = order.map((one, index): readonly [Step, Outcome] => {
    if (typeof one !== "string") return [{ ...one[0], index }, one[1]];
    const at = steps.findIndex(({ id }) => id === one);
    const step = steps[at]!;
    return [
      { ...step, index, needs: placesOf(step.needs), after: placesOf(step.after), edges: [] },
      outcomes[at]!,
    ];
  });
  return {
    plan: { ...plan, steps: merged.map(([step]) => step) },
    outcomes: merged.map(([, outcome]) => outcome),
  };
}
