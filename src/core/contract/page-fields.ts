import * as z from "zod/mini";

import * as LIMITS from "./limits.ts";

/** The parameters of every list, as the document describes them. */
export const pageFields = () => ({
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxJobPage))),
  cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
});
