import type { ConfirmationHead } from "./confirmation.ts";
import type { CallbackTarget, JobRecord } from "./job.ts";

/**
 * The events that an operator is told of. An expiry is not among them: no action caused it, and the question said when it would
 * come.
 */
type EventType = "job.dead" | "confirmation.requested" | "confirmation.decided" | "breaker.opened";

/**
 * Something that an operator is told of: ids, names, times and a code. Never arguments, results or secrets, whatever they are
 * of.
 */
export interface OperatorEvent {
  /** `webhook-id`: the same for the same thing, however often it is recorded or sent. No dot, which the signature parts by. */
  readonly id: string;
  /** The body, as Standard Webhooks lays an event out. */
  readonly json: string;
}

/** One attempt to deliver such an event. */
export interface EventClaim {
  readonly event: OperatorEvent;
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

/** Tell of a job that ended as `dead`. @param endId names the job and its end: a redriven job may die again */
export function toDeadEvent(tenant: string, endId: string, job: JobRecord): OperatorEvent {
  const { code } = JSON.parse(job.errorJson ?? "{}") as { readonly code?: string };
  return makeEvent(
    "job.dead",
    { atMs: job.updatedAt, of: endId },
    {
      tenant,
      job_id: job.id,
      tool: job.tool,
      key: job.key,
      batch_id: job.batchId,
      trigger: job.trigger,
      attempts: job.attempts,
      created_at: toIso(job.createdAt),
      code,
    },
  );
}

/** The fields that both events about a question have. */
export interface AskedQuestion {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly head: ConfirmationHead;
}

/** Tell of a question that waits for a person. */
export function toRequestedEvent(tenant: string, question: AskedQuestion): OperatorEvent {
  return makeEvent(
    "confirmation.requested",
    { atMs: question.createdAt, of: question.id },
    {
      ...toQuestion(tenant, question),
      expires_at: toIso(question.expiresAt),
    },
  );
}

/** Tell of a decision, and whose key made it. */
export function toDecidedEvent(
  tenant: string,
  question: AskedQuestion,
  decided: { readonly decision: "approve" | "reject"; readonly key: string | undefined; readonly at: number },
): OperatorEvent {
  const { decision, key, at } = decided;
  return makeEvent(
    "confirmation.decided",
    { atMs: at, of: question.id },
    {
      ...toQuestion(tenant, question),
      decision,
      decided_by: key,
    },
  );
}

function toQuestion(tenant: string, { id, createdAt, head }: AskedQuestion): object {
  return {
    tenant,
    confirmation_id: id,
    requested_by: head.requestedBy,
    tools: [...new Set(head.actions.map(({ tool }) => tool))],
    created_at: toIso(createdAt),
  };
}

/** Tell of a breaker that opened. */
export function toOpenedEvent(tenant: string, opened: OpeningReport): OperatorEvent {
  const { id, key, tool, origin, since, until } = opened;
  return makeEvent(
    "breaker.opened",
    { atMs: since, of: id },
    { tenant, key, tool, origin, until: toIso(until) },
  );
}

function makeEvent(
  type: EventType,
  { atMs, of }: { readonly atMs: number; readonly of: string },
  data: object,
): OperatorEvent {
  return {
    id: `${type.replace(".", "-")}-${of}`,
    json: JSON.stringify({ type, timestamp: toIso(atMs), data }),
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
