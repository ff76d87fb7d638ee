import * as LIMITS from "./limits.ts";
import { refuseOtherParameters, refuseQuery } from "../../core/contract/parse-request.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";
import type { OverviewQuery } from "./operator.ts";

/** Parse the query of `GET /v1/operator/overview`. Anything it does not know is refused. */
export function parseOverviewQuery(query: URLSearchParams): Result<OverviewQuery, Refusal> {
  const other = refuseOtherParameters(query, ["hours", "limit"]);
  if (other !== null) return err(other);
  const hours = parseCount(query, "hours", {
    usual: LIMITS.operatorOverviewHours,
    most: LIMITS.operatorHours,
  });
  if (!hours.ok) return hours;
  const limit = parseCount(query, "limit", {
    usual: LIMITS.operatorTenants,
    most: LIMITS.maxOperatorTenants,
  });
  return limit.ok ? ok({ hours: hours.value, limit: limit.value }) : limit;
}

function parseCount(
  query: URLSearchParams,
  name: string,
  { usual, most }: { readonly usual: number; readonly most: number },
): Result<number, Refusal> {
  const text = query.get(name) ?? String(usual);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most
    ? ok(count)
    : err(refuseQuery(name, `a whole number from 1 to ${most}`, text));
}
