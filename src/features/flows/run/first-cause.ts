import type { Failure } from "../../../feature/refuse.ts";
import { findFirstFailure, isConsequence, isFailure, type Outcome } from "../../../core/contract/outcome.ts";
import { findReferences } from "../../../feature/schema.ts";
import type { Plan } from "../../../core/plan/step.ts";

/** A flow that has run, and what its answer is made of. */
export interface Ran {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly answer: unknown;
}

/** How a flow ended that has not succeeded. */
export type FlowFailed = Extract<Outcome, { readonly status: "error" | "unknown" }>;

/**
 * Say why a flow has not succeeded: the failure of the action that failed first of those on which its end depends, instead of
 * the failure of what was skipped for its sake. The end depends on what the answer needs or, without an answer, on every action;
 * an unknown end depends on the action that is unknown.
 */
export function firstCause({ plan, outcomes, answer }: Ran, { status, error }: FlowFailed): Failure {
  const at = (id: string): number => plan.steps.findIndex((step) => step.id === id);
  const every = [...outcomes.keys()];
  const referred = findReferences(answer, []);
  const needed = answer === undefined || !referred.ok ? every : referred.value.map(({ id }) => at(id));
  let index =
    status === "unknown"
      ? outcomes.findIndex((outcome) => outcome.status === "unknown")
      : (needed.find((one) => outcomes[one] !== undefined && isFailure(outcomes[one])) ?? -1);
  for (let outcome = outcomes[index]; outcome?.status === "skipped"; outcome = outcomes[index])
    index = at(outcome.because);
  // One that was stopped does not say for whose sake.
  const named = outcomes[index];
  if (named !== undefined && isConsequence(named)) index = findFirstFailure(outcomes);
  const cause = outcomes[index];
  if (cause?.status !== "error" && cause?.status !== "unknown") return error;
  const hint = `Its action '${plan.steps[index]!.id}' ended as ${cause.status}. ${cause.error.hint ?? ""}`;
  return { ...cause.error, hint: hint.trim() };
}
