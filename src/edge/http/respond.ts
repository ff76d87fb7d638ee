import type { Caller } from "../../contract/gate/caller.ts";
import type { QuotaState } from "../../contract/gate/admission.ts";
import type { RefusalCode } from "../../contract/failure-codes.ts";
import { makeRefusal, type Refusal, statusOf, toProblem } from "../../contract/refusal.ts";
import { toChatError, toMessagesError } from "../../agent/dialect/provider-error.ts";
import { type ApiError, INTERNAL_ERROR, toApiError } from "../../formats/orchestration-api.ts";
import { type Refused, toQuota } from "../../gate/admit-plan.ts";
import type { RequestContext } from "./request-context.ts";

type Headers = Readonly<Record<string, string>>;

/** What answers that refuse were made of: not every dialect says it. */
const refusedFor = new WeakMap<Response, RefusalCode>();

/** Which code an answer refuses its request with; told by its status where it was not made of a refusal. */
export function codeOf(response: Response): RefusalCode {
  return refusedFor.get(response) ?? BY_STATUS[response.status] ?? "UNAVAILABLE";
}

const BY_STATUS: Readonly<Record<number, RefusalCode>> = {
  400: "INVALID_REQUEST",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  413: "BODY_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "INVALID_REQUEST",
  429: "QUOTA_EXCEEDED",
};

/** A run that was not refused: the JSON text of its answer, and what goes into the answer's headers. */
export interface Ran {
  readonly json: string;
  readonly quota: QuotaState | null;
  readonly replayed: boolean;
}

/** Headers of every answer: nothing here may be cached, sniffed or framed. */
export function baseHeaders(requestId: string): Headers {
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}

/** Answer with JSON text; 200 unless another status is given. */
export function respondJson(
  json: string,
  requestId: string,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Headers } = {},
): Response {
  return new Response(json, {
    status,
    headers: { ...baseHeaders(requestId), "content-type": "application/json", ...headers },
  });
}

/** Answer an error of the Orchestration API. */
export function respondApiError({ status, body }: ApiError, requestId: string, headers?: Headers): Response {
  return respondJson(JSON.stringify(body), requestId, { status, ...(headers && { headers }) });
}

/** Answer a refusal: as an RFC 9457 problem document, or in the words of the Orchestration API where that was asked. */
export function respondRefusal(
  request: Request,
  refusal: Refusal,
  requestId: string,
  more?: Headers,
  report: string | null = null,
): Response {
  const response = writeRefusal(request, refusal, requestId, more, report);
  refusedFor.set(response, refusal.code);
  return response;
}

function writeRefusal(
  request: Request,
  refusal: Refusal,
  requestId: string,
  more: Headers | undefined,
  report: string | null,
): Response {
  const headers = {
    ...(refusal.code === "UNAUTHORIZED" && { "www-authenticate": "Bearer" }),
    ...retryHeaders(refusal),
    ...more,
  };
  if (isOrchestration(request)) return respondApiError(toApiError(refusal), requestId, headers);
  const provider = PROVIDER_PATHS.exec(request.url)?.[1];
  if (provider !== undefined) {
    const error = provider === "messages" ? toMessagesError(refusal) : toChatError(refusal);
    const json = JSON.stringify({ ...error, request_id: requestId });
    // What ran before the error is told with it.
    const told = report === null ? json : `${json.slice(0, -1)},"volley":${report}}`;
    return respondJson(told, requestId, { status: statusOf(refusal), headers });
  }
  return respondJson(JSON.stringify({ ...toProblem(refusal), request_id: requestId }), requestId, {
    status: statusOf(refusal),
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

/** Answer a run that was refused, with what is left of the caller's quota. */
export function respondRefused(
  request: Request,
  { refusal, quota }: Refused,
  { caller, requestId }: Pick<RequestContext, "caller" | "requestId">,
): Response {
  return respondRefusal(request, refusal, requestId, quotaHeaders(caller, quota));
}

/** Answer a bug of ours, or of our configuration, likewise; it says no more than where to look. */
export function respondBug(
  request: Request,
  requestId: string,
  hint = "Something failed on our side; give the operator the request id.",
): Response {
  if (isOrchestration(request)) return respondApiError(INTERNAL_ERROR, requestId);
  return respondRefusal(request, makeRefusal("UNAVAILABLE", hint), requestId);
}

/** Where clients of the providers call: they understand errors of their provider only. */
export const PROVIDER_PATHS = /^https?:\/\/[^/?#]+\/v1\/(chat\/completions|messages)(?:[/?#]|$)/;

function isOrchestration({ url }: Request): boolean {
  return /^https?:\/\/[^/]+\/api\/orchestration\//.test(url);
}

/** Headers of an answer to a run: what is left of the quota, and whether it was kept under an idempotency key. */
export function runHeaders(caller: Caller, { quota, replayed }: Omit<Ran, "json">): Headers {
  return { ...quotaHeaders(caller, quota), ...(replayed && { "idempotency-replayed": "true" }) };
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): the limit, and what is left of it. */
export function quotaHeaders(caller: Caller, quota: QuotaState | null): Headers {
  if (quota === null) return {};
  const { allowance = "requests", remaining, retryAfterMs, resetMs } = quota;
  const { limit, windowS } = toQuota(caller, allowance);
  return {
    "ratelimit-policy": `"${allowance}";q=${limit};w=${windowS}`,
    ratelimit: `"${allowance}";r=${remaining};t=${toSeconds(remaining === 0 ? retryAfterMs : resetMs)}`,
  };
}

/** `Retry-After`, where waiting helps. */
export function retryHeaders({ retryAfterMs }: Refusal): Headers {
  return retryAfterMs === undefined ? {} : { "retry-after": String(toSeconds(retryAfterMs)) };
}

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
