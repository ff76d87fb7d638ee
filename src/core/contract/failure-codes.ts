/** A code, said of one action that did not succeed: whether trying again may help, and what a caller reads. */
interface OfAction {
  readonly retryable: boolean;
  readonly message: string;
}

/** A code, said of a whole request that was refused before anything ran: its HTTP status, and what a caller reads. */
interface OfRequest {
  readonly status: number;
  readonly title: string;
}

const final = (message: string): OfAction => ({ retryable: false, message });
const passing = (message: string): OfAction => ({ retryable: true, message });
// @__NO_SIDE_EFFECTS__
const refused = (status: number, title: string): OfRequest => ({ status, title });

/**
 * All that can go wrong with an action, by code. A few codes are said of a request too, in words of their own.
 *
 * These sentences are the only prose about a failure besides its hint. Neither ever holds an upstream's text, a URL's
 * query or a secret: hints are written in this code, or built from what the caller sent.
 */
export const CODES = {
  INVALID_ACTION: final("The action is not well formed."),
  UNKNOWN_TOOL: final("There is no tool of that name."),
  INVALID_ARGS: final("The arguments do not fit the tool's schema."),
  BAD_REFERENCE: final("The action refers to something that is not there."),
  RATE_LIMITED: passing("The rate limit is used up for now."),
  TIMEOUT: passing("The call took longer than it may."),
  DEADLINE_EXCEEDED: passing("The batch's deadline passed before the action finished."),
  CANCELLED: passing("The action was cancelled before it finished."),
  UPSTREAM_ERROR: passing("The service behind the tool failed."),
  NOT_FOUND: final("The service behind the tool does not know what was asked for."),
  BAD_UPSTREAM_RESPONSE: final("The service behind the tool answered with something unreadable."),
  RESPONSE_TOO_LARGE: final("There is more data than may be read, or than the answer has room for."),
  CIRCUIT_OPEN: passing("The service behind the tool is failing; not called."),
  EGRESS_DENIED: final("The tool may not send a request there."),
  TOOL_CHANGED: final("The tool is no longer what it was when it was imported, so it was not called."),
  FLOW_BROKEN: final("The flow cannot run as it was kept."),
  CONNECTION_REQUIRED: final("The account that the tool would use is not connected."),
  MISCONFIGURED: final("The tool is not configured on this deployment."),
  DEPENDENCY_FAILED: final("An action this one depends on did not succeed."),
  ABORTED: passing("The batch stopped at its first failure."),
  NOT_REVERSIBLE: final("There is no way to take back what this did."),
  CONFIRMATION_INVALID: final("The action needs a person's confirmation."),
  CONFIRMATION_REJECTED: final("A person said no to this action."),
  OUTBOX_UNAVAILABLE: passing(
    "It is not certain that the background work was recorded, so nothing is promised.",
  ),
  BACKLOG_FULL: passing("Too much background work is waiting already."),
  IDEMPOTENCY_CONFLICT: final(
    "The idempotency key is taken: by other content, or by a run that is not over.",
  ),
  OVERLOADED: passing("The system is too busy to run the action."),
  TOOL_FAILED: final("The tool itself failed."),
  INTERNAL: final("Something went wrong on our side."),
};

/** All that can go wrong with a request as a whole, by code. */
export const REFUSALS = {
  UNKNOWN_TOOL: refused(404, "There is no tool of that name."),
  NOT_FOUND: refused(404, "There is nothing here."),
  FLOW_BROKEN: refused(409, "The flow cannot run as it was kept."),
  MISCONFIGURED: refused(501, "This deployment is not configured for that."),
  CONFIRMATION_INVALID: refused(409, "The confirmation cannot be decided."),
  BACKLOG_FULL: refused(429, "Too much background work is waiting already."),
  IDEMPOTENCY_CONFLICT: refused(422, "The idempotency key was used for other content."),
  MALFORMED_JSON: refused(400, "The body is not JSON."),
  INVALID_QUERY: refused(400, "A query parameter is not one of those offered."),
  UNAUTHORIZED: refused(401, "The key is missing or not valid."),
  FORBIDDEN: refused(403, "The key may not do this."),
  LOOP_DETECTED: refused(403, "The request was sent by one of this system's own tools."),
  METHOD_NOT_ALLOWED: refused(405, "The path does not answer this method."),
  JOB_NOT_CANCELLABLE: refused(409, "The job is over, so it cannot be cancelled."),
  JOB_NOT_REDRIVABLE: refused(409, "The job is not one that can be run again."),
  IDEMPOTENCY_IN_PROGRESS: refused(409, "The batch of this idempotency key, or the run, is still under way."),
  PLAN_CHANGED: refused(409, "The plan is no longer the one that was agreed to."),
  NAME_TAKEN: refused(409, "The name belongs to something else already."),
  BODY_TOO_LARGE: refused(413, "The body is larger than a request may be."),
  UNSUPPORTED_MEDIA_TYPE: refused(415, "The body must be sent as application/json."),
  INVALID_BATCH: refused(422, "The batch is not well formed."),
  INVALID_REQUEST: refused(422, "The body is not what this path takes."),
  INVALID_TOOL: refused(422, "The tool cannot be kept as it is declared."),
  INVALID_FLOW: refused(422, "The flow cannot be kept as it is declared."),
  INVALID_ENDPOINT: refused(422, "The endpoint cannot be kept as it is declared."),
  QUOTA_EXCEEDED: refused(429, "The key's quota is used up for now."),
  MODEL_UNAVAILABLE: refused(502, "The model did not answer."),
  MODEL_TIMEOUT: refused(504, "The model did not answer in time."),
  UNAVAILABLE: refused(503, "The request could not be served just now."),
};

/** The code of a failed action. Stable: callers may switch on it. */
export type FailureCode = keyof typeof CODES;

/** The code of a refused request; as stable. */
export type RefusalCode = keyof typeof REFUSALS;

/** Every code of an action, in the table's order. */
export const FAILURE_CODES = /* @__PURE__ */ Object.keys(CODES) as FailureCode[];

/** Every code of a request, in the table's order. */
export const REFUSAL_CODES = /* @__PURE__ */ Object.keys(REFUSALS) as RefusalCode[];

/** The person that hints name, because no caller can set a deployment right. */
export const KEEPER = "operator";

/** The hint of an action that asks a person where nothing can ask one. */
export const UNASKED =
  "It needs a person's approval, and this Worker does not list the feature 'confirmations'; nothing was sent.";

/** The codes of failures that no caller mends, but an account that is connected or a deployment that is set right. */
export const MENDED_ELSEWHERE: readonly FailureCode[] = ["CONNECTION_REQUIRED", "MISCONFIGURED"];
