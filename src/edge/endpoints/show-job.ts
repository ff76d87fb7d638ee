import { toJobJson } from "../../contract/gate/job-json.ts";
import type { JobRecord } from "../../contract/gate/job.ts";
import { makeRefusal } from "../../contract/refusal.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson, respondProblem } from "../http/respond.ts";

/** `GET /v1/jobs/{id}`: what became of background work. Another tenant's job does not exist. */
export async function showJob(jobId: string, context: RequestContext): Promise<Response> {
  const { gate, requestId } = context;
  let job: JobRecord | null;
  try {
    job = await gate.job(jobId);
  } catch {
    return respondUnreadable(requestId);
  }
  if (job === null) {
    return respondNoJob(requestId);
  }
  return respondJson(toJobJson(job), requestId);
}

/** Answer that there is no such job in the caller's tenant. */
export function respondNoJob(requestId: string): Response {
  const hint = "There is no job of that id; finished jobs are kept for seven days.";
  return respondProblem(makeRefusal("NOT_FOUND", hint), requestId);
}

/** Answer that the tenant's gate could not be asked. */
export function respondUnreadable(requestId: string): Response {
  const hint = "The tenant's jobs could not be read; ask again.";
  return respondProblem(makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 }), requestId);
}
