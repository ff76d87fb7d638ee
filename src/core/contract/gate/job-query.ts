import { ok, type Result } from "../../kit/result.ts";
import { walkRows } from "../../kit/take-rows.ts";
import { parseList } from "../list-query.ts";
import type { Refusal } from "../refusal.ts";
import { JOB_STATUSES, type JobCursor, type JobQuery, type JobRecord } from "./job.ts";
import type { Gate } from "./tenant-gate-methods.ts";

const CURSOR = /^(\d{1,15})_([A-Za-z0-9_:.-]{1,200})$/;

const FIELDS = {
  status: JOB_STATUSES,
  tool: "text",
  batch_id: "text",
  since: "time",
  until: "time",
} as const;

/** Parse the query of `GET /v1/jobs`. Anything it does not know is refused, so that no filter is ignored. */
export function parseJobQuery(query: URLSearchParams): Result<JobQuery, Refusal> {
  const parsed = parseList(query, parseJobCursor, FIELDS);
  if (!parsed.ok) return parsed;
  const { status = null, tool, batch_id: batchId, ...rest } = parsed.value;
  return ok({ status, ...(tool !== undefined && { tools: [tool] }), batchId, ...rest });
}

/** Walk over the jobs that a query finds, page by page, however many a page has. */
export function walkJobs(gate: Pick<Gate, "jobs">, query: JobQuery): AsyncIterable<JobRecord> {
  return walkRows((last) => gate.jobs({ ...query, after: last === null ? query.after : toPlace(last) }));
}

/** The place of an entry in its list, without the rest of it. */
export function toPlace({ createdAt, id }: JobCursor): JobCursor {
  return { createdAt, id };
}

/** Write a place in the list as text that a query can carry. */
export function toCursor({ createdAt, id }: JobCursor): string {
  return `${createdAt}_${id}`;
}

/** Parse a place in the list; null for any other text. */
export function parseJobCursor(text: string): JobCursor | null {
  const [, createdAt, id] = CURSOR.exec(text) ?? [];
  return id === undefined ? null : { createdAt: Number(createdAt), id };
}
