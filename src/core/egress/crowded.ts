import { makeRefusal } from "../contract/refusal.ts";

/** The refusal of a request that found no room in its tenant's bytes. Nothing was lost by it: the same request may be sent again. */
export const CROWDED = makeRefusal(
  "UNAVAILABLE",
  "Other requests hold too much at the moment; try again, or send fewer at once.",
  { retryAfterMs: 1_000 },
);
