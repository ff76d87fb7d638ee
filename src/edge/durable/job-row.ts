import { type Delivery, JOB_STATUSES, type JobStatus } from "../../contract/gate/job.ts";
import type { Callback } from "../../state/callback.ts";
import { type Job, buryJob } from "../../state/outbox.ts";

/** What is written now. A row of any other format is not guessed at. */
export const FORMAT = 1;

const STATUSES: ReadonlySet<string> = new Set(JOB_STATUSES);
const DELIVERIES: ReadonlySet<string> = new Set<Delivery>(["at-least-once", "at-most-once"]);

/** A row of the `jobs` table. STRICT tables hold the column types; what a column may say is checked on reading. */
export type JobRow = {
  id: string;
  due_at: number | null;
  updated_at: number;
  format: number;
  status: string;
  attempts: number;
  fence: number;
  created_at: number;
  tool: string;
  idempotency_key: string;
  max_attempts: number;
  backoff_initial_ms: number;
  delivery: string;
  note: string | null;
  error_json: string | null;
  args_json: string;
  data_json: string | null;
  callback_json: string | null;
};

/**
 * Read a row, or null when it is not one this version understands: another format, an unknown status or delivery.
 *
 * Arguments are not parsed here: only a claim needs them.
 */
export function parseJobRow(row: JobRow): Job | null {
  if (row.format !== FORMAT || !STATUSES.has(row.status) || !DELIVERIES.has(row.delivery)) return null;
  return toJob(row, row.status as JobStatus, row.delivery as Delivery);
}

/**
 * Make a dead job, readable from now on, of a row that is not. Without attempts it is never redriven: what it has sent,
 * and whether it may be sent twice, is not known.
 */
export function buryJobRow(row: JobRow, nowMs: number): Job {
  const readable = toJob({ ...row, data_json: null, max_attempts: 0 }, "dead", "at-most-once");
  return buryJob(
    readable,
    nowMs,
    "This version cannot read the job's record, so the job gets no further attempt.",
  );
}

/** Lay a job out in the order of the table's columns. */
export function toJobColumns(job: Job): SqlStorageValue[] {
  const { spec } = job;
  return [
    spec.id,
    toDueAt(job),
    job.updatedAt,
    FORMAT,
    job.status,
    job.attempts,
    job.fence,
    job.createdAt,
    spec.tool,
    spec.idempotencyKey,
    spec.maxAttempts,
    spec.backoffInitialMs,
    spec.delivery,
    job.note,
    job.errorJson,
    spec.argsJson,
    job.dataJson,
    toCallbackJson(job),
  ];
}

/** When something is to be done about a job: its next attempt or, once it is over, its event's next delivery. */
export function toDueAt({ dueAt, callback }: Job): number | null {
  return dueAt ?? callback?.dueAt ?? null;
}

/** Write a delivery as text; its due time is in the row's. */
export function toCallbackJson({ callback }: Job): string | null {
  if (callback === null) return null;
  const { dueAt: _, ...stored } = callback;
  return JSON.stringify(stored);
}

/** Whether a status, as a row has it, is one of a job that is still alive. */
export function isLive(status: string): boolean {
  return status === "running" || status === "retrying";
}

function toJob(row: JobRow, status: JobStatus, delivery: Delivery): Job {
  const stored =
    row.callback_json === null ? null : (JSON.parse(row.callback_json) as Omit<Callback, "dueAt">);
  return {
    spec: {
      id: row.id,
      tool: row.tool,
      argsJson: row.args_json,
      idempotencyKey: row.idempotency_key,
      maxAttempts: row.max_attempts,
      backoffInitialMs: row.backoff_initial_ms,
      delivery,
    },
    status,
    attempts: row.attempts,
    fence: row.fence,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    dueAt: isLive(status) ? row.due_at : null,
    dataJson: row.data_json,
    errorJson: row.error_json,
    note: row.note,
    callback: stored === null ? null : { ...stored, dueAt: isLive(status) ? null : row.due_at },
  };
}
