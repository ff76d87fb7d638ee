import type { QuotaState } from "../../contract/gate/admission.ts";
import type { Caller } from "../../contract/caller.ts";
import { type Refusal, statusOf, toProblem } from "../../contract/refusal.ts";

/** Headers of every answer: nothing here may be cached, sniffed or framed. */
export function baseHeaders(requestId: string): Record<string, string> {
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}

/** Answer with JSON text. */
export function respondJson(json: string, requestId: string, headers?: Record<string, string>): Response {
  return new Response(json, {
    headers: { ...baseHeaders(requestId), "content-type": "application/json", ...headers },
  });
}

/** Answer a refusal as an RFC 9457 problem document. */
export function respondProblem(
  refusal: Refusal,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  return new Response(JSON.stringify({ ...toProblem(refusal), request_id: requestId }), {
    status: statusOf(refusal),
    headers: {
      ...baseHeaders(requestId),
      "content-type": "application/problem+json",
      ...(refusal.code === "UNAUTHORIZED" && { "www-authenticate": "Bearer" }),
      ...retryHeaders(refusal),
      ...headers,
    },
  });
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): the limit, and what is left of it. */
export function quotaHeaders(caller: Caller, quota: QuotaState | null): Record<string, string> {
  if (quota === null) return {};
  const { limit, windowS } = caller.quota;
  const waitMs = quota.remaining === 0 ? quota.retryAfterMs : quota.resetMs;
  return {
    "ratelimit-policy": `"requests";q=${limit};w=${windowS}`,
    ratelimit: `"requests";r=${quota.remaining};t=${toSeconds(waitMs)}`,
  };
}

/** `Retry-After`, where waiting helps. */
export function retryHeaders({ retryAfterMs }: Refusal): Record<string, string> {
  return retryAfterMs === undefined ? {} : { "retry-after": String(toSeconds(retryAfterMs)) };
}

/** What tells an answer that was kept under an idempotency key from one that ran just now. */
export function replayHeaders(replayed: boolean): Record<string, string> {
  return replayed ? { "idempotency-replayed": "true" } : {};
}

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
