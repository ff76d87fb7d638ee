import * as z from "zod/mini";

import { err, ok, type Result } from "../kit/result.ts";
import * as LIMITS from "./limits.ts";
import { parseQuery, type QueryFields, type ReadQuery, refuseQuery } from "./parse-request.ts";
import type { Refusal } from "./refusal.ts";

/** The parameters of every list, as the document describes them. */
export const pageFields = () => ({
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxJobPage))),
  cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
});

/** The schema of one page: its things under `field`, and where the next page begins. */
export function pageSchema<Field extends string, Item extends z.ZodMiniType>(
  field: Field,
  item: Item,
  id: string,
) {
  const shape = { [field]: z.array(item), next_cursor: z.nullable(z.string()) } as unknown as Readonly<
    Record<Field, z.ZodMiniArray<Item>> & { next_cursor: z.ZodMiniNullable<z.ZodMiniString> }
  >;
  return z.strictObject(shape).register(z.globalRegistry, { id });
}

/** The parameter by which a request waits for a change, as the document describes it. */
export const waitField = (says = "Answer when the status changes, and at the latest after so many seconds") =>
  z.optional(z.int().check(z.minimum(0), z.maximum(LIMITS.maxWaitS))).check(z.describe(says));

/**
 * Parse the query of a list: its own parameters, and which page is asked for by `limit` and `cursor`, which is null at the first page.
 *
 * @param readCursor reads a cursor of this list; null is any other text
 */
export function parseList<Place, const F extends QueryFields>(
  query: URLSearchParams,
  readCursor: (cursor: string) => Place | null,
  fields: F,
): Result<ReadQuery<F> & { readonly limit: number; readonly after: Place | null }, Refusal> {
  const parsed = parseQuery(query, fields, ["limit", "cursor"]);
  if (!parsed.ok) return parsed;
  const text = query.get("limit") ?? String(LIMITS.jobPage);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMITS.maxJobPage)
    return err(refuseQuery("limit", `a whole number from 1 to ${LIMITS.maxJobPage}`, text));
  const cursor = query.get("cursor");
  const after = cursor === null ? null : readCursor(cursor);
  return cursor !== null && after === null
    ? err(refuseQuery("cursor", "the next_cursor of an earlier page", cursor))
    : ok({ ...parsed.value, limit, after });
}
