import type { Caller } from "../../core/contract/gate/caller.ts";
import type { QuotaState } from "../../core/contract/gate/admission.ts";
import { KEEPER, type RefusalCode } from "../../core/contract/failure-codes.ts";
import { makeRefusal, type Refusal, statusOf, toProblem } from "../../core/contract/refusal.ts";
import type { Result } from "../../core/kit/result.ts";
import type { Answer } from "../../core/run/execute/answer.ts";
import { type Refused, toQuota } from "../../core/gate/admit-plan.ts";
import type { Dialect } from "./dialect.ts";
import type { RequestContext } from "./request-context.ts";

type Headers = Readonly<Record<string, string>>;

/** The codes of responses that refuse: not every dialect says them. */
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
  readonly respond?: Answer["respond"];
}

/** The bytes that are held for an answer. */
export interface HeldAnswer<T> {
  /** The answer, as it is made. Where that fails nothing is held any more. */
  readonly made: Promise<T>;
  /** Give the bytes back. */
  readonly release: () => void;
}

/** Make an answer, and collect what gives back the bytes that are held for it: one made of several batches has several. */
export function holdAnswer<T>(
  make: (onWritten: (give: () => void) => void) => Promise<T>,
  context: Pick<RequestContext, "letGo">,
): HeldAnswer<T> {
  const { letGo } = context;
  delete context.letGo;
  const gives: (() => void)[] = [];
  const release = (): void => {
    for (const give of gives.splice(0)) give();
  };
  const making = async (): Promise<T> => {
    let isMade = false;
    try {
      const made = await make((give) => void gives.push(give));
      isMade = true;
      return made;
    } finally {
      letGo?.();
      if (!isMade) release();
    }
  };
  return { made: making(), release };
}

/** Nothing here may be cached, sniffed or framed. */
const BASE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Give an answer the headers of every answer: the request's id, and those that JSON is made with already. */
export function setBaseHeaders({ headers }: Response, requestId: string): void {
  headers.set("x-request-id", requestId);
  if (headers.has("x-content-type-options")) return;
  for (const [name, value] of Object.entries(BASE_HEADERS)) if (!headers.has(name)) headers.set(name, value);
}

/** Answer with JSON, as text, bytes or a stream of them; 200 unless another status is given. */
export function respondJson(
  json: string | Uint8Array | ReadableStream<Uint8Array>,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Headers } = {},
): Response {
  const response = new Response(json, { status, headers: (jsonHeaders ??= new Headers(JSON_HEADERS)) });
  for (const name in headers) response.headers.set(name, headers[name]!);
  return response;
}

const JSON_HEADERS = { ...BASE_HEADERS, "content-type": "application/json" };
/** To copy them costs half of what making them of an object does. */
let jsonHeaders: Response["headers"] | undefined;

/** A request as far as its refusal looks at it. */
export interface Refusing {
  readonly requestId: string;
  /** How its path says no; null as a problem document. */
  readonly dialect: Dialect | null;
}

/** Answer a refusal: as an RFC 9457 problem document, or in the dialect of its path. */
export function respondRefusal(
  refusal: Refusal,
  { requestId, dialect }: Refusing,
  { headers: more, report = null }: { readonly headers?: Headers; readonly report?: string | null } = {},
): Response {
  const headers = {
    ...(refusal.code === "UNAUTHORIZED" && { "www-authenticate": "Bearer" }),
    ...retryHeaders(refusal),
    ...more,
  };
  const said = dialect?.write(refusal, { requestId, report });
  const response =
    said === undefined
      ? respondJson(JSON.stringify({ ...toProblem(refusal), request_id: requestId }), {
          status: statusOf(refusal),
          headers: { "content-type": "application/problem+json", ...headers },
        })
      : respondJson(said.json, { ...said, headers });
  refusedFor.set(response, refusal.code);
  return response;
}

/** Answer what was made of a request: a response, or a refusal. */
export function respondResult(answered: Result<Response, Refusal>, refusing: Refusing): Response {
  return answered.ok ? answered.value : respondRefusal(answered.error, refusing);
}

/** Answer a run that was refused, with what is left of the caller's quota. */
export function respondRefused(
  { refusal, quota }: Refused,
  context: Pick<RequestContext, "caller"> & Refusing,
): Response {
  return respondRefusal(refusal, context, { headers: quotaHeaders(context.caller, quota) });
}

/** Answer a fault of this system, or of its configuration, likewise; the answer says no more than where to look. */
export function respondBug(
  refusing: Refusing,
  hint = `Something failed on our side; give the ${KEEPER} the request id.`,
): Response {
  const { dialect } = refusing;
  if (dialect?.fault) return respondJson(dialect.fault.json, dialect.fault);
  return respondRefusal(makeRefusal("UNAVAILABLE", hint), refusing);
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

/** Whole seconds, rounded up: a client that waits that long has waited long enough. */
function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
