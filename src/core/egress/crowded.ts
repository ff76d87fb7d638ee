import { makeRefusal } from "../contract/refusal.ts";

/** The refusal of a request that found no room in its tenant's bytes. Nothing was lost by it: the same request may be sent again. */
export const CROWDED = makeRefusal(
  "UNAVAILABLE",
  "Too much is held for other requests of this tenant at the moment, and this one found no room; send it again, or fewer at once.",
  { retryAfterMs: 1_000 },
);
