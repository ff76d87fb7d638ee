import { UNASKED } from "../contract/failure-codes.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { ParkedStep } from "../plan/parked-step.ts";
import { failUnsent, skipped } from "../answer/failed-outcome.ts";

/**
 * Say what becomes of a group's actions when the gated ones fail: they do, and what needs one of them is skipped because
 * of it, like after any failure.
 *
 * @param needs for every action, the positions of those it needs; acyclic
 */
export function failParkedGroup(
  actions: readonly { readonly id: string; readonly gated: boolean; readonly needs: readonly number[] }[],
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

/** Say what becomes of steps that wait for a person, where the Worker cannot ask one. */
export function refuseParked(parked: readonly ParkedStep[]): ReadonlyMap<number, Outcome> {
  const position = new Map(parked.map(({ step }, at) => [step.index, at]));
  const actions = parked.map(({ step: { id, parking, mayAsk, needs } }) => ({
    id,
    gated: parking === "gated" || mayAsk === true,
    needs: needs.flatMap((needed) => position.get(needed) ?? []),
  }));
  return new Map(
    failParkedGroup(actions, makeFailure("MISCONFIGURED", { hint: UNASKED })).map(
      (outcome, at) => [parked[at]!.step.index, outcome] as const,
    ),
  );
}

/** Outcomes that are told once more is known of them. The rest of the batch goes on with them as they were. */
export class LateOutcomes {
  readonly #known = new Map<number, Outcome>();
  readonly #pending: Promise<void>[] = [];

  /** Tell an outcome once all of it is known. @param knowing never rejects */
  tell(index: number, knowing: Promise<Outcome>, told: (outcome: Outcome) => void): void {
    this.#pending.push(
      knowing.then((known) => {
        this.#known.set(index, known);
        told(known);
      }),
    );
  }

  /** Put the outcomes as they were told into those of a batch, once all of them are there. */
  async applyTo(outcomes: readonly Outcome[]): Promise<readonly Outcome[]> {
    await Promise.all(this.#pending);
    return outcomes.map((outcome, index) => this.#known.get(index) ?? outcome);
  }
}
