import { makeRefusal, type Refusal } from "../../../feature/refuse.ts";
import * as LIMITS from "../limits.ts";
import type { ListedRun } from "../run-log-methods.ts";

export const NOT_OVER = makeRefusal(
  "NOT_FOUND",
  "There is no run of that id that is over; one that goes on is run again once it has ended, and a run is kept for some days.",
);

export const IN_CHANGE = makeRefusal(
  "IDEMPOTENCY_IN_PROGRESS",
  "Something of this run is being changed; run it again when that is over.",
  { retryAfterMs: LIMITS.runAwaitedMs },
);

/** Say why a run cannot be run again at all; null where it can. */
export function refuseRun({ source, imported }: ListedRun, earlier: number): Refusal | null {
  if (imported) return IMPORTED;
  if (source === "agent")
    return makeRefusal("INVALID_REQUEST", "A model wrote this run round by round; send its request again.");
  if (earlier < LIMITS.runReruns) return null;
  return makeRefusal(
    "INVALID_REQUEST",
    `A run is run again ${LIMITS.runReruns} times at most; send its actions anew.`,
  );
}

export const IMPORTED = makeRefusal(
  "INVALID_REQUEST",
  "This run was taken back from an export: what ran since, and where, is not known here. It can be looked at; send its actions anew.",
);

export function refuseActions(ids: readonly string[]): Refusal {
  const hint = `Not everything that ${say(ids)} sent is kept: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing ran; send the actions anew.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

export function refuseUnasked(ids: readonly string[]): Refusal {
  const hint = `Whether ${say(ids)} happened is not certain, and this deployment asks no person. Nothing ran; look before you send it again.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function say(ids: readonly string[]): string {
  return ids.map((id) => `'${id}'`).join(", ");
}
