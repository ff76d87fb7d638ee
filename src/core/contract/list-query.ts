import * as z from "zod/mini";

import { err, ok, type Result } from "../kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../kit/rfc3339.ts";
import * as LIMITS from "./limits.ts";
import { refuseQuery } from "./parse-request.ts";
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
 * Parse which page of a list is asked for: `limit`, and `cursor`, which is null at the first page.
 *
 * @param read reads a cursor of this list; null is any other text
 */
export function parsePage<Place>(
  query: URLSearchParams,
  read: (cursor: string) => Place | null,
): Result<{ readonly limit: number; readonly after: Place | null }, Refusal> {
  const text = query.get("limit") ?? String(LIMITS.jobPage);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMITS.maxJobPage)
    return err(refuseQuery("limit", `a whole number from 1 to ${LIMITS.maxJobPage}`, text));
  const cursor = query.get("cursor");
  const after = cursor === null ? null : read(cursor);
  return cursor !== null && after === null
    ? err(refuseQuery("cursor", "the next_cursor of an earlier page", cursor))
    : ok({ limit, after });
}

/** Parse an instant; undefined where there is none. */
function parseTime(query: URLSearchParams, name: string): Result<number | undefined, Refusal> {
  const text = query.get(name);
  if (text === null) return ok(undefined);
  const time = parseInstant(text);
  return time === null ? err(refuseQuery(name, INSTANT_EXPECTED, text)) : ok(time);
}

/** Parse the time that a list is of: since and until when. */
export function parseRange(
  query: URLSearchParams,
): Result<{ readonly since: number | undefined; readonly until: number | undefined }, Refusal> {
  const since = parseTime(query, "since");
  if (!since.ok) return since;
  const until = parseTime(query, "until");
  return until.ok ? ok({ since: since.value, until: until.value }) : until;
}
