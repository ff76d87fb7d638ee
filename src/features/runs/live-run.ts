import type { JobRecord } from "../../feature/tool.ts";
import { parseExact } from "../../feature/schema.ts";
import type { ListedRun, RunQuery } from "./run-log-methods.ts";
import { fitsListed } from "./run-query.ts";

export function isLive({ status }: JobRecord): boolean {
  return status === "running" || status === "retrying";
}

/** Name the run that a job is: its own id where it has no other, as a run of a flow has until an attempt of it is over. */
export function runIdOf({ id, batchId = id }: JobRecord): string {
  return batchId;
}

/** Write a job that goes on as a run: its actions are those that are counted so far. */
export function toLiveRun(job: JobRecord, nowMs: number): ListedRun {
  const { done, failed, total } = job.progress ?? { done: 0, failed: 0, total: 0 };
  return {
    run_id: runIdOf(job),
    source: job.trigger ?? "background",
    // The same as the log says it: what a trigger started is no key's.
    key: job.key ?? `${job.trigger ?? ""}:${job.tool}`,
    flow: job.trigger === undefined ? undefined : job.tool,
    job_id: job.id,
    request_id: job.requestId ?? job.id,
    started_at: new Date(job.createdAt).toISOString(),
    duration_ms: Math.max(0, nowMs - job.createdAt),
    status: "running",
    actions: total,
    summary: { ...NONE, total, ok: done - failed, error: failed },
    tools: [],
    tags: job.tags,
    subject: job.subject,
  };
}

const NONE = { total: 0, ok: 0, error: 0, initiated: 0, skipped: 0, pending_confirmation: 0, unknown: 0 };

/** Whether a run that goes on is one that is asked for. Its tools are known when it is over, so it fits no filter by those. */
export function fitsLive(query: RunQuery, run: ListedRun): boolean {
  return query.tool === undefined && fitsListed(query, run);
}

/** Write a result as the action of a run. */
export function toAction(json: string): object {
  const { index: _, meta, ...action } = parseExact(json) as { readonly index: number; readonly meta: object };
  return { ...action, ...meta };
}
