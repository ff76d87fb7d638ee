import { makeFailure } from "../contract/failure.ts";
import { isJsonObject } from "../contract/json.ts";
import type { Outcome } from "../contract/outcome.ts";
import { leastOf } from "./cut-value.ts";
import { estimateTokens, roughTokens } from "./estimate-tokens.ts";

const NO_ROOM = makeFailure("RESPONSE_TOO_LARGE", {
  hint: "It ran, but the answer has no room left for its data: ask for it in a batch of its own, or for less of it with select.",
});

/**
 * Say of an outcome that the answer has no room for its data.
 *
 * A read is an error: nothing is lost that asking again does not bring. A write has happened, even if its answer cannot be shown:
 * its status stays, its data is emptied, and `meta.truncated` says so. A failure loses what had succeeded of its loop.
 */
export function refuseData(outcome: Outcome, isWrite: boolean): Outcome {
  if (outcome.status === "success")
    return isWrite ? withoutData(outcome) : { status: "error", error: NO_ROOM, meta: outcome.meta };
  if (outcome.status === "error" || outcome.status === "unknown") {
    const { status, error, meta } = outcome;
    return { status, error, meta };
  }
  return outcome;
}

/** Leave of a failure what a program reads. */
export function withoutWords(outcome: Outcome): Outcome {
  if (!("error" in outcome)) return outcome;
  const { code, retryable, retryAfterMs } = outcome.error;
  return { ...outcome, error: { code, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
}

function withoutData(outcome: Extract<Outcome, { readonly status: "success" }>): Outcome {
  const { data, json } = outcome.shown ?? outcome;
  const least = leastOf(data);
  const leastJson = JSON.stringify(least);
  const truncated = {
    tokens_before: roughTokens(json),
    tokens_after: estimateTokens(leastJson),
    elements_dropped: Array.isArray(data) ? data.length : 0,
    fields_dropped: isJsonObject(data) ? Object.keys(data).length : 0,
    characters_dropped: typeof data === "string" ? data.length : 0,
    at: [""],
  };
  return { ...outcome, shown: { data: least, json: leastJson }, meta: { ...outcome.meta, truncated } };
}
