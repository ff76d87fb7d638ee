import type { JsonObject } from "../../../feature/schema.ts";

/**
 * Keep of a flow as it is shown the fields that were sent, so that what was shown can be put, or compared, as it is. Only a shown
 * flow has a fingerprint: every field of other input stays, for the check that follows.
 */
export function toOwnFields(flow: JsonObject): JsonObject {
  if (!Object.hasOwn(flow, "fingerprint")) return flow;
  return Object.fromEntries(Object.entries(flow).filter(([field]) => !SHOWN.has(field)));
}

/** Fields of a flow as it is shown that follow from the others. */
const SHOWN: ReadonlySet<string> = new Set(
  "fingerprint is_write confirm plan broken hook hook_url next_run_at issues".split(" "),
);
