import { answerPreflight, isPreflight } from "../../../feature/answer.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import type { Env, Fetch } from "../../../feature/define.ts";
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

/**
 * Answer pages of the listed origins as the Fetch standard has it. Requests of other origins are answered as if they were no page's,
 * and the browser keeps the answer from the page.
 */
export function answerPages(next: Fetch): Fetch {
  const originsOf = createReader();
  return async (request, env, ctx) => {
    const origin = request.headers.get("origin");
    if (origin === null || !originsOf(env).has(origin)) return next(request, env, ctx);
    if (isPreflight(request)) return answerPreflight(request, origin, METHODS);
    const answer = await next(request, env, ctx);
    answer.headers.set("access-control-allow-origin", origin);
    answer.headers.set("access-control-expose-headers", EXPOSED);
    answer.headers.append("vary", "origin");
    return answer;
  };
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
