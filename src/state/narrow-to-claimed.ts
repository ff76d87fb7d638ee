import type { AdmissionAnswer, AdmissionRequest } from "../contract/gate/admission.ts";
import type { IdempotencyAnswer, IdempotencyRequest, KeyState } from "../contract/gate/idempotency.ts";

type Wishes = Pick<AdmissionRequest, "draws" | "jobs">;
type Denied = AdmissionAnswer["denied"];

/** What of an admission is left once it is known which of its keys were claimed. */
export interface Narrowed extends Wishes {
  /**
   * Whether an action's claim stands once it is known what was denied: not if it was turned away itself, or will not start
   * because of another.
   */
  readonly keeps: (index: number, state: KeyState, denied: Denied) => boolean;
}

/**
 * Take out of an admission what its keys say must not happen: an action whose key was not claimed draws from no limit and
 * records no job, and jobs whose ids an earlier run has chosen are left to be recorded under those.
 *
 * With `allOrNothing` a key that stands for a failure stops everything; where an earlier run is in doubt, which may
 * turn out a failure too, jobs wait until they are really started, so that none is recorded and then called skipped.
 */
export function narrowToClaimed(
  { draws, jobs, allOrNothing }: Wishes & Pick<AdmissionRequest, "allOrNothing">,
  asked: IdempotencyRequest,
  { batch, actions }: IdempotencyAnswer,
): Narrowed {
  const states = new Map(actions.map(({ index, state }) => [index, state]));
  if (allOrNothing && actions.some(({ state }) => isFailure(state)))
    return { draws: [], jobs: [], keeps: (_, state) => state.kind !== "claimed" };

  const inDoubt = [...states.values(), batch].some((state) => state?.kind === "claimed" && state.inDoubt);
  const seeds = new Map(asked.actions.map(({ index, seed }) => [index, seed]));
  const isOwn = (index: number): boolean => {
    const state = states.get(index);
    // An action's own key goes before the batch's: it stands for the action in whichever batch it is sent.
    return state === undefined
      ? batch?.kind !== "claimed" || batch.seed === asked.batch?.seed
      : state.kind === "claimed" && state.seed === seeds.get(index);
  };
  return {
    draws: draws.filter(({ index }) => (states.get(index)?.kind ?? "claimed") === "claimed"),
    jobs: allOrNothing && inDoubt ? [] : jobs.filter(({ index }) => isOwn(index)),
    keeps: (index, state, denied) =>
      state.kind !== "claimed" ||
      !(allOrNothing ? denied.length > 0 : denied.some((turnedAway) => turnedAway.index === index)),
  };
}

function isFailure(state: KeyState): boolean {
  return (
    state.kind === "running" || state.kind === "conflict" || (state.kind === "done" && state.answer.failed)
  );
}
