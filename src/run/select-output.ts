import type { Outcome } from "../contract/outcome.ts";
import { selectFields } from "../answer/select-fields.ts";
import type { Queued } from "./tool-pools.ts";

/** Show only the selected parts of a call's output. What refers to it still sees the whole. */
export function selectOutput(queued: Queued, pointers: readonly (readonly string[])[]): Queued {
  return {
    ...(queued.known !== undefined && { known: select(queued.known, pointers) }),
    outcome: queued.outcome.then((outcome) => select(outcome, pointers)),
    finished: queued.finished,
    get started() {
      return queued.started;
    },
    stop: (failure, sentWrite) => queued.stop(failure, sentWrite),
  };
}

function select(outcome: Outcome, pointers: readonly (readonly string[])[]): Outcome {
  if (outcome.status !== "success") return outcome;
  const { data, missing } = selectFields(outcome.data, pointers);
  const meta = missing.length === 0 ? outcome.meta : { ...outcome.meta, selectMissing: missing };
  return { ...outcome, shown: { data, json: JSON.stringify(data) }, meta };
}
