/**
 * What can go wrong with one action: one table, exhaustive by type.
 *
 * `message` is the only prose a caller sees about a failure besides `hint`; both are written here or
 * built from the caller's own input, never from an upstream's text, a URL's query or a secret.
 */
const FAILURES = {
  INVALID_ACTION: { retryable: false, message: "The action is not well formed." },
  UNKNOWN_TOOL: { retryable: false, message: "There is no tool of that name." },
  INVALID_ARGS: { retryable: false, message: "The arguments do not fit the tool's schema." },
  BAD_REFERENCE: { retryable: false, message: "The action refers to something that is not there." },
  RATE_LIMITED: { retryable: true, message: "The rate limit is used up for now." },
  TIMEOUT: { retryable: true, message: "The call took longer than it may." },
  DEADLINE_EXCEEDED: {
    retryable: true,
    message: "The batch's deadline passed before the action finished.",
  },
  CANCELLED: { retryable: true, message: "The action was cancelled before it finished." },
  UPSTREAM_ERROR: { retryable: true, message: "The service behind the tool failed." },
  NOT_FOUND: {
    retryable: false,
    message: "The service behind the tool does not know what was asked for.",
  },
  BAD_UPSTREAM_RESPONSE: {
    retryable: false,
    message: "The service behind the tool answered with something unreadable.",
  },
  RESPONSE_TOO_LARGE: {
    retryable: false,
    message: "The service behind the tool answered with more than the tool may read.",
  },
  CIRCUIT_OPEN: { retryable: true, message: "The service behind the tool is failing; not called." },
  EGRESS_DENIED: { retryable: false, message: "The tool may not send a request there." },
  MISCONFIGURED: { retryable: false, message: "The tool is not configured on this deployment." },
  DEPENDENCY_FAILED: { retryable: false, message: "An action this one depends on did not succeed." },
  ABORTED: { retryable: true, message: "The batch stopped at its first failure." },
  CONFIRMATION_INVALID: { retryable: false, message: "The action needs a person's confirmation." },
  CONFIRMATION_REJECTED: { retryable: false, message: "A person said no to this action." },
  OUTBOX_UNAVAILABLE: {
    retryable: true,
    message: "It is not certain that the background work was recorded, so nothing is promised.",
  },
  BACKLOG_FULL: { retryable: true, message: "Too much background work is waiting already." },
  IDEMPOTENCY_CONFLICT: {
    retryable: false,
    message: "The idempotency key is taken: by other content, or by a run that is not over.",
  },
  OVERLOADED: { retryable: true, message: "The system is too busy to run the action." },
  TOOL_FAILED: { retryable: false, message: "The tool itself failed." },
  INTERNAL: { retryable: false, message: "Something went wrong on our side." },
} as const satisfies Record<string, { retryable: boolean; message: string }>;

/** The code of a failed action. Stable: callers may switch on it. */
export type FailureCode = keyof typeof FAILURES;

/** Every code, in the table's order. */
export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

/** Which clock ran out: waiting for headers, silence inside a body, or the call as a whole. */
export const TIMEOUT_PHASES = ["headers", "idle", "total"] as const;

export type TimeoutPhase = (typeof TIMEOUT_PHASES)[number];

/**
 * One place where a value does not fit. `path` is an RFC 6901 pointer into what the caller sent, with everything
 * invisible escaped and at most 256 characters of it.
 */
export interface Issue {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

/** Why an action did not succeed. */
export interface Failure {
  readonly code: FailureCode;
  readonly retryable: boolean;
  /** One sentence that tells a model what to do next. */
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly upstreamStatus?: number;
  readonly phase?: TimeoutPhase;
  readonly issues?: readonly Issue[];
}

/** Make a failure; `retryable` comes from the table unless the caller knows better. */
export function makeFailure(code: FailureCode, details: Partial<Omit<Failure, "code">> = {}): Failure {
  return { code, retryable: FAILURES[code].retryable, ...details };
}

/** A failure as it goes over the wire (`error` of a result). */
export interface WireFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly retry_after_ms?: number;
  readonly upstream_status?: number;
  readonly phase?: TimeoutPhase;
  readonly issues?: readonly Issue[];
}

/** Translate a failure to the wire. The message is the table's, whatever happened. */
export function toWireFailure(failure: Failure): WireFailure {
  return {
    code: failure.code,
    message: FAILURES[failure.code].message,
    retryable: failure.retryable,
    ...(failure.hint !== undefined && { hint: failure.hint }),
    ...(failure.retryAfterMs !== undefined && { retry_after_ms: Math.ceil(failure.retryAfterMs) }),
    ...(failure.upstreamStatus !== undefined && { upstream_status: failure.upstreamStatus }),
    ...(failure.phase !== undefined && { phase: failure.phase }),
    ...(failure.issues !== undefined && { issues: failure.issues }),
  };
}
