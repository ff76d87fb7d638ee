import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";
import {
  type IdempotencyAnswer,
  type IdempotencyRequest,
  type KeyState,
  seedOf,
} from "../../contract/gate/idempotency.ts";
import { reseedJob } from "../../contract/gate/job-shard.ts";

type Wishes = Pick<AdmissionRequest, "draws" | "jobs">;
type Denied = AdmissionAnswer["denied"];

/** The rest of an admission once it is known which of its keys were claimed. */
export interface Narrowed extends Wishes {
  /**
   * Whether an action's claim stands once it is known what was denied: not if it was turned away itself, or will not start
   * because of another.
   */
  readonly keeps: (index: number, state: KeyState, denied: Denied) => boolean;
}

/**
 * Take out of an admission what its keys say must not happen: an action whose key was not claimed draws from no limit and
 * records no job. Jobs of a key that an earlier run began get the ids which that run gave them.
 *
 * With `allOrNothing` a key that stands for a failure stops everything; where an earlier run is in doubt, or a key may turn
 * out to be a conflict, jobs wait until they are really started, so that none is recorded and then called skipped.
 */
export function narrowToClaimed(
  { draws, jobs, allOrNothing }: Wishes & Pick<AdmissionRequest, "allOrNothing">,
  asked: IdempotencyRequest,
  claimed: IdempotencyAnswer,
): Narrowed {
  const { batch, actions } = claimed;
  const states = new Map(actions.map(({ index, state }) => [index, state]));
  if (allOrNothing && actions.some(({ state }) => isFailure(state)))
    return { draws: [], jobs: [], keeps: (_, state) => state.kind !== "claimed" };

  const mayFail = [...states.values(), batch].some((state) => state !== null && isUndecided(state));
  const mayRun = ({ index }: { readonly index: number }): boolean =>
    (states.get(index)?.kind ?? "claimed") === "claimed";
  const underSeed = (job: AdmissionRequest["jobs"][number]): AdmissionRequest["jobs"][number] => {
    const seed = seedOf(job.index, asked, claimed);
    return seed?.retaken ? { ...job, spec: reseedJob(job.spec, seed.value), retaken: true } : job;
  };
  return {
    draws: draws.filter(mayRun),
    jobs: allOrNothing && mayFail ? [] : jobs.filter(mayRun).map(underSeed),
    keeps: (index, state, denied) =>
      state.kind !== "claimed" ||
      !(allOrNothing ? denied.length > 0 : denied.some((turnedAway) => turnedAway.index === index)),
  };
}

function isFailure(state: KeyState): boolean {
  return (
    state.kind === "running" ||
    state.kind === "conflict" ||
    (state.kind === "done" && state.of === undefined && state.answer.failed)
  );
}

function isUndecided(state: KeyState): boolean {
  return (
    (state.kind === "claimed" && (state.inDoubt || state.of !== undefined)) ||
    (state.kind === "done" && state.of !== undefined)
  );
}
