import type { JobRecord } from "../../contract/job.ts";
import { makeRefusal } from "../../contract/refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { respondJson, respondProblem } from "./respond.ts";

/** `GET /v1/jobs/{id}`: what became of background work. Another tenant's job does not exist. */
export async function showJob(jobId: string, context: RequestContext): Promise<Response> {
  const { gate, requestId } = context;
  let job: JobRecord | null;
  try {
    job = await gate.job(jobId);
  } catch {
    return respondProblem(
      makeRefusal("UNAVAILABLE", "The job's record could not be read; ask again.", { retryAfterMs: 1_000 }),
      requestId,
    );
  }
  if (job === null) {
    return respondProblem(
      makeRefusal("NOT_FOUND", "There is no job of that id; finished jobs are kept for seven days."),
      requestId,
    );
  }
  return respondJson(toJobJson(job), requestId);
}

function toJobJson(job: JobRecord): string {
  const head = JSON.stringify({
    job_id: job.id,
    tool: job.tool,
    status: job.status,
    attempts: job.attempts,
    created_at: toIso(job.createdAt),
    updated_at: toIso(job.updatedAt),
    next_attempt_at: job.nextAttemptAt === null ? null : toIso(job.nextAttemptAt),
    ...(job.note !== null && { note: job.note }),
  });
  const data = job.dataJson === null ? "" : `,"data":${job.dataJson}`;
  const error = job.errorJson === null ? "" : `,"error":${job.errorJson}`;
  return `${head.slice(0, -1)}${data}${error}}`;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
