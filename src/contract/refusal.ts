import type { Issue } from "./failure.ts";

/** What refuses a whole request before anything ran: one table from code to HTTP status. */
const REFUSALS = {
  MALFORMED_JSON: { status: 400, title: "The body is not JSON." },
  INVALID_QUERY: { status: 400, title: "A query parameter is not one of those offered." },
  UNAUTHORIZED: { status: 401, title: "The key is missing or not valid." },
  LOOP_DETECTED: { status: 403, title: "The request was sent by one of this system's own tools." },
  NOT_FOUND: { status: 404, title: "There is nothing here." },
  UNKNOWN_TOOL: { status: 404, title: "There is no tool of that name." },
  METHOD_NOT_ALLOWED: { status: 405, title: "The path does not answer this method." },
  JOB_NOT_CANCELLABLE: { status: 409, title: "The job is over, so it cannot be cancelled." },
  JOB_NOT_REDRIVABLE: { status: 409, title: "The job is not one that can be run again." },
  CONFIRMATION_INVALID: { status: 409, title: "The confirmation cannot be decided." },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, title: "The batch of this idempotency key is still running." },
  BODY_TOO_LARGE: { status: 413, title: "The body is larger than a request may be." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: "The body must be sent as application/json." },
  INVALID_BATCH: { status: 422, title: "The batch is not well formed." },
  IDEMPOTENCY_CONFLICT: { status: 422, title: "The idempotency key was used for other content." },
  INVALID_REQUEST: { status: 422, title: "The body is not what this path takes." },
  BACKLOG_FULL: { status: 429, title: "Too much background work is waiting already." },
  QUOTA_EXCEEDED: { status: 429, title: "The key's quota is used up for now." },
  UNAVAILABLE: { status: 503, title: "The request could not be served just now." },
} as const satisfies Record<string, { status: number; title: string }>;

export type RefusalCode = keyof typeof REFUSALS;

/** Every code, in the table's order. */
export const REFUSAL_CODES = Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]];

/** Why a request was refused whole. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly hint: string;
  readonly issue?: Issue;
  readonly retryAfterMs?: number;
}

/** Make a refusal with the sentence that tells the caller what to change. */
export function makeRefusal(
  code: RefusalCode,
  hint: string,
  details: Partial<Omit<Refusal, "code" | "hint">> = {},
): Refusal {
  return { code, hint, ...details };
}

/** The HTTP status of a refusal. */
export function statusOf(refusal: Pick<Refusal, "code">): (typeof REFUSALS)[RefusalCode]["status"] {
  return REFUSALS[refusal.code].status;
}

/** Translate a refusal to an RFC 9457 problem document. */
export function toProblem(refusal: Refusal): Record<string, unknown> {
  const { status, title } = REFUSALS[refusal.code];
  return {
    type: `urn:volley:problem:${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: refusal.hint,
    ...refusal.issue,
    ...(refusal.retryAfterMs !== undefined && { retry_after_ms: Math.ceil(refusal.retryAfterMs) }),
  };
}
