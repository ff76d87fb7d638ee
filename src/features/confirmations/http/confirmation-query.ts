import { parseJobCursor } from "../../../core/contract/gate/job-query.ts";
import { parseChoice, parsePage, refuseOtherParameters } from "../../../feature/schema.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { CONFIRMATION_STATUSES, type ConfirmationQuery } from "../confirmation.ts";

/** The statuses that a list of confirmations can be asked for: `waiting` is another word for `pending`. */
export const LISTED_STATUSES = ["waiting", ...CONFIRMATION_STATUSES] as const;

/** Parse the query of `GET /v1/confirmations`, as that of the jobs is parsed. */
export function parseConfirmationQuery(query: URLSearchParams): Result<ConfirmationQuery, Refusal> {
  const other = refuseOtherParameters(query, ["status", "limit", "cursor"]);
  if (other !== null) return err(other);
  const status = parseChoice(query, "status", LISTED_STATUSES);
  if (!status.ok) return status;
  const page = parsePage(query, parseJobCursor);
  if (!page.ok) return page;
  return ok({ status: status.value === "waiting" ? "pending" : status.value, ...page.value });
}
