import type { CallbackRecord, JobRecord } from "./job.ts";

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
    ...(job.callback !== null && { callback: toWireCallback(job.callback) }),
  });
  const data = job.dataJson === null ? "" : `,"data":${job.dataJson}`;
  const error = job.errorJson === null ? "" : `,"error":${job.errorJson}`;
  return `${head.slice(0, -1)}${data}${error}}`;
}

/** Write the event about a job's end, as Standard Webhooks lays an event out. */
export function toEventJson(job: JobRecord): string {
  const head = JSON.stringify({ type: `job.${job.status}`, timestamp: toIso(job.updatedAt) });
  return `${head.slice(0, -1)},"data":${toJobJson(job)}}`;
}

function toWireCallback({ status, attempts, lastStatus, nextAttemptAt }: CallbackRecord): object {
  return {
    status,
    attempts,
    last_status: lastStatus,
    next_attempt_at: nextAttemptAt === null ? null : toIso(nextAttemptAt),
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
