import { toJobJson } from "../../contract/gate/job-json.ts";
import { parseJobQuery, toCursor } from "../../contract/gate/job-query.ts";
import type { JobRecord } from "../../contract/gate/job.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson, respondProblem } from "../http/respond.ts";
import { respondUnreadable } from "./show-job.ts";

/** `GET /v1/jobs?status=&limit=&cursor=`: the tenant's jobs, newest first, without their data. */
export async function listJobs(query: URLSearchParams, context: RequestContext): Promise<Response> {
  const { gate, requestId } = context;
  const parsed = parseJobQuery(query);
  if (!parsed.ok) return respondProblem(parsed.error, requestId);
  const { limit } = parsed.value;
  let found: readonly JobRecord[];
  try {
    // One more than is shown tells whether there is another page.
    found = await gate.jobs({ ...parsed.value, limit: limit + 1 });
  } catch {
    return respondUnreadable(requestId);
  }
  const jobs = found.slice(0, limit);
  const last = jobs.at(-1);
  const next = found.length > limit && last !== undefined ? toCursor(last) : null;
  return respondJson(
    `{"jobs":[${jobs.map(toJobJson).join(",")}],"next_cursor":${JSON.stringify(next)}}`,
    requestId,
  );
}
