import type { JobRecord } from "./job.ts";

/** Write a job as the wire shows it. Data and error are JSON text already, and are not parsed on the way. */
export function toJobJson(job: JobRecord): string {
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
