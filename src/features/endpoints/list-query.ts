import * as LIMITS from "../../core/contract/limits.ts";
import { refuseQuery } from "../../core/contract/parse-request.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../../core/kit/rfc3339.ts";
import type { ListPlace } from "./shard-methods.ts";

/** Parse how many are asked for. */
export function parseLimit(query: URLSearchParams): Result<number, Refusal> {
  const text = query.get("limit") ?? String(LIMITS.jobPage);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return limit < 1 || limit > LIMITS.maxJobPage
    ? err(refuseQuery("limit", `a whole number from 1 to ${LIMITS.maxJobPage}`, text))
    : ok(limit);
}

/** Parse a cursor that is a number; null where there is none. */
export function parseNumber(query: URLSearchParams): Result<number | null, Refusal> {
  const cursor = query.get("cursor");
  if (cursor === null) return ok(null);
  return /^\d{1,15}$/.test(cursor) ? ok(Number(cursor)) : err(refuseCursor(cursor));
}

/** Parse a cursor that is a delivery's place; null where there is none. */
export function parsePlace(query: URLSearchParams): Result<ListPlace | null, Refusal> {
  const cursor = query.get("cursor");
  if (cursor === null) return ok(null);
  const [, seq, no] = /^(\d{1,15})_(\d{1,15})$/.exec(cursor) ?? [];
  return no === undefined ? err(refuseCursor(cursor)) : ok({ seq: Number(seq), no: Number(no) });
}

export function parseTime(query: URLSearchParams, name: string): Result<number | undefined, Refusal> {
  const text = query.get(name);
  if (text === null) return ok(undefined);
  const time = parseInstant(text);
  return time === null ? err(refuseQuery(name, INSTANT_EXPECTED, text)) : ok(time);
}

function refuseCursor(cursor: string): Refusal {
  return refuseQuery("cursor", "the next_cursor of an earlier page", cursor);
}
