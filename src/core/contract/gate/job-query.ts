import { err, ok, type Result } from "../../kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../../kit/rfc3339.ts";
import { JOB_STATUSES, type JobCursor, type JobQuery } from "./job.ts";
import * as LIMITS from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import { parseChoice, refuseOtherParameters, refuseQuery } from "../parse-request.ts";

const CURSOR = /^(\d{1,15})_([A-Za-z0-9_:.-]{1,200})$/;
const WHOLE = /^\d{1,9}$/;
const PARAMETERS = ["status", "tool", "batch_id", "since", "until", "limit", "cursor"];

/** Parse the query of `GET /v1/jobs`. Anything it does not know is refused, so that no filter is ignored. */
export function parseJobQuery(query: URLSearchParams): Result<JobQuery, Refusal> {
  const other = refuseOtherParameters(query, PARAMETERS);
  if (other !== null) return err(other);
  const status = parseChoice(query, "status", JOB_STATUSES);
  if (!status.ok) return status;

  const since = parseTime(query, "since");
  if (!since.ok) return since;
  const until = parseTime(query, "until");
  if (!until.ok) return until;

  const page = parsePage(query);
  if (!page.ok) return page;
  const range = { since: since.value, until: until.value };
  const tool = query.get("tool");
  const batchId = query.get("batch_id") ?? undefined;
  return ok({
    status: status.value,
    ...(tool !== null && { tools: [tool] }),
    batchId,
    ...range,
    ...page.value,
  });
}

/** Parse which page of a list is asked for. */
export function parsePage(query: URLSearchParams): Result<Pick<JobQuery, "limit" | "after">, Refusal> {
  const limitText = query.get("limit") ?? String(LIMITS.jobPage);
  const limit = WHOLE.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMITS.maxJobPage)
    return err(refuseQuery("limit", `a whole number from 1 to ${LIMITS.maxJobPage}`, limitText));

  const cursor = query.get("cursor");
  const after = cursor === null ? null : parseCursor(cursor);
  return cursor !== null && after === null
    ? err(refuseQuery("cursor", "the next_cursor of an earlier page", cursor))
    : ok({ limit, after });
}

function parseTime(query: URLSearchParams, name: string): Result<number | undefined, Refusal> {
  const text = query.get(name);
  if (text === null) return ok(undefined);
  const time = parseInstant(text);
  return time === null ? err(refuseQuery(name, INSTANT_EXPECTED, text)) : ok(time);
}

/** Write a place in the list as text that a query can carry. */
export function toCursor({ createdAt, id }: JobCursor): string {
  return `${createdAt}_${id}`;
}

function parseCursor(text: string): JobCursor | null {
  const [, createdAt, id] = CURSOR.exec(text) ?? [];
  return id === undefined ? null : { createdAt: Number(createdAt), id };
}
