import type { Env } from "../../../core/edge/configured.ts";
import type { Fetch } from "../../../core/edge/feature.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import { readPageOrigins } from "./page-origins.ts";

const METHODS = "GET, POST, PUT, PATCH, DELETE";

/** Headers of answers that a page may read besides those that every page may. */
const EXPOSED = [
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "x-request-id",
  "x-should-retry",
  "idempotency-replayed",
  "Location",
  "Preference-Applied",
  "Server-Timing",
  "WWW-Authenticate",
].join(", ");

/** How long a browser need not ask again, in seconds: two hours is the most that Chromium keeps. */
const MAX_AGE_S = 7_200;

/** A list of header names, as browsers send it; the official clients have a dozen of their own. */
const HEADER_NAMES = /^[\w-]{1,64}(?: *, *[\w-]{1,64}){0,63}$/;

/**
 * Answer pages of the listed origins as the Fetch standard has it. A page sends its key in a header, never a cookie, so credentials
 * are not allowed. Requests of other origins are answered as if they were no page's, and the browser keeps the answer from the page.
 *
 * Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function answerPages(next: Fetch): Fetch {
  const originsOf = createReader();
  return async (request, env, ctx) => {
    const origin = request.headers.get("origin");
    if (origin === null || !originsOf(env).has(origin)) return next(request, env, ctx);
    const asked = request.headers.get("access-control-request-method");
    if (request.method === "OPTIONS" && asked !== null) return answerPreflight(origin, request);
    const answer = await next(request, env, ctx);
    answer.headers.set("access-control-allow-origin", origin);
    answer.headers.set("access-control-expose-headers", EXPOSED);
    answer.headers.append("vary", "origin");
    return answer;
  };
}

/** Say what a page may send. It is asked without a key, and says nothing about which paths there are. */
function answerPreflight(origin: string, request: Request): Response {
  const names = request.headers.get("access-control-request-headers") ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": METHODS,
      ...(HEADER_NAMES.test(names) && { "access-control-allow-headers": names }),
      "access-control-max-age": String(MAX_AGE_S),
      "x-request-id": crypto.randomUUID(),
      vary: "origin, access-control-request-method, access-control-request-headers",
    },
  });
}

/** Read the variable once for each configuration. Where it cannot be read the app says so, and no page is answered. */
function createReader(): (env: Env) => ReadonlySet<string> {
  const known = new WeakMap<Env, ReadonlySet<string>>();
  return (env) => {
    let origins = known.get(env);
    if (origins === undefined) {
      const read = attemptNow(() => readPageOrigins(env));
      known.set(env, (origins = read.ok ? read.value : new Set()));
    }
    return origins;
  };
}
