import type { Fetch } from "../../../core/edge/feature.ts";

/** The paths by which a program finds out how to sign in, gets its tokens, and uses them. */
const PATHS =
  /^https?:\/\/[^/?#]+(?:\/mcp\/?|\/oauth\/(?:token|register)|\/\.well-known\/oauth-[\w/-]+)(?=$|[?#])/;

const METHODS = "GET, POST";

/** A list of header names, as browsers send it. */
const HEADER_NAMES = /^[\w-]{1,64}(?: *, *[\w-]{1,64}){0,63}$/;

const EXPOSED =
  "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, x-request-id, MCP-Protocol-Version, MCP-Session-Id";

/**
 * Let pages of every origin read the answers of these paths: programs that are pages sign in as others do. A page sends its token in a
 * header and never a cookie, so no credentials are allowed, and none are needed.
 *
 * Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function openToPages(next: Fetch): Fetch {
  return async (request, env, ctx) => {
    if (!request.headers.has("origin") || !PATHS.test(request.url)) return next(request, env, ctx);
    const asked = request.headers.get("access-control-request-method");
    if (request.method === "OPTIONS" && asked !== null) return answerPreflight(request);
    const answer = await next(request, env, ctx);
    // The feature `cors` may have named the origin already.
    if (answer.headers.has("access-control-allow-origin")) return answer;
    answer.headers.set("access-control-allow-origin", "*");
    answer.headers.set("access-control-expose-headers", EXPOSED);
    return answer;
  };
}

function answerPreflight({ headers }: Request): Response {
  const names = headers.get("access-control-request-headers") ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": METHODS,
      ...(HEADER_NAMES.test(names) && { "access-control-allow-headers": names }),
      "access-control-max-age": "7200",
      "x-request-id": crypto.randomUUID(),
      vary: "access-control-request-headers",
    },
  });
}
