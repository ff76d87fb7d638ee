import type { CallbackTarget, JobRecord } from "./job.ts";

/**
 * Something that the deployment's address is told of: ids, names, times and a code. Never arguments, results or secrets, whatever they are
 * of.
 */
export interface OutgoingEvent {
  /** `webhook-id`: the same for the same thing, however often it is recorded or sent. No dot, which the signature parts by. */
  readonly id: string;
  /** The body, as Standard Webhooks lays an event out. */
  readonly json: string;
}

/** One attempt to deliver such an event. */
export interface EventClaim {
  readonly event: OutgoingEvent;
  readonly attempt: number;
  readonly target: CallbackTarget;
}

/** A breaker that was closed, and is open now, in one isolate. Times are milliseconds since the epoch. */
export interface BreakerOpened {
  readonly tool: string;
  readonly origin: string;
  readonly since: number;
  readonly until: number;
}

/** The same on its way to the gate. */
export interface OpeningReport extends BreakerOpened {
  /** Unguessable and fresh: the same report may be sent twice. */
  readonly id: string;
  /** The name of the key whose request opened it; absent where an alarm's attempt did. */
  readonly key?: string;
}

/** Tell of a job that ended as `dead` or `failed`. @param endId names the job and its end: a redriven job may die again */
export function toFailedJobEvent(tenant: string, endId: string, job: JobRecord): OutgoingEvent {
  const { code } = JSON.parse(job.errorJson ?? "{}") as { readonly code?: string };
  const { tool, key, trigger, attempts } = job;
  const made = { job_id: job.id, tool, key, batch_id: job.batchId, trigger, attempts };
  const data = { tenant, ...made, in_doubt: job.inDoubt, created_at: toIso(job.createdAt), code };
  return makeEvent(`job.${job.status}`, { atMs: job.updatedAt, of: endId }, data);
}

/** Tell of a breaker that opened. */
export function toOpenedEvent(tenant: string, opened: OpeningReport): OutgoingEvent {
  const { id, key, tool, origin, since, until } = opened;
  const data = { tenant, key, tool, origin, until: toIso(until) };
  return makeEvent("breaker.opened", { atMs: since, of: id }, data);
}

/** Make an event. @param of names what it tells of: the same thing is told once */
export function makeEvent(
  type: string,
  { atMs, of }: { readonly atMs: number; readonly of: string },
  data: object,
): OutgoingEvent {
  return {
    id: `${type.replace(".", "-")}-${of}`,
    json: JSON.stringify({ type, timestamp: toIso(atMs), data }),
  };
}

/** Write a time as events have it. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
