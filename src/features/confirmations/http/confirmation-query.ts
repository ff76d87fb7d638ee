import { parseJobCursor } from "../../../core/contract/gate/job-query.ts";
import { parseList } from "../../../feature/schema.ts";
import { ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { CONFIRMATION_STATUSES, type ConfirmationQuery } from "../confirmation.ts";

/** The statuses that a list of confirmations can be asked for: `waiting` is another word for `pending`. */
export const LISTED_STATUSES = ["waiting", ...CONFIRMATION_STATUSES] as const;

/** Parse the query of `GET /v1/confirmations`, as that of the jobs is parsed. */
export function parseConfirmationQuery(query: URLSearchParams): Result<ConfirmationQuery, Refusal> {
  const parsed = parseList(query, parseJobCursor, { status: LISTED_STATUSES });
  if (!parsed.ok) return parsed;
  const { status = null, ...page } = parsed.value;
  return ok({ status: status === "waiting" ? "pending" : status, ...page });
}
