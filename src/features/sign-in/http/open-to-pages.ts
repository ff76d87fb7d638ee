import type { Fetch } from "../../../cloudflare/feature.ts";
import { answerPreflight, isPreflight } from "../../../cloudflare/http/answer-preflight.ts";

/** The paths by which a program finds out how to sign in, gets its tokens, and uses them. */
const PATHS =
  /^https?:\/\/[^/?#]+(?:\/mcp\/?|\/oauth\/(?:token|register)|\/\.well-known\/oauth-[\w/-]+)(?=$|[?#])/;

const METHODS = "GET, POST";

const EXPOSED =
  "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, x-request-id, MCP-Protocol-Version, MCP-Session-Id";

/** Let pages of every origin read the answers of these paths: programs that are pages sign in as others do. */
export function openToPages(next: Fetch): Fetch {
  return async (request, env, ctx) => {
    if (!request.headers.has("origin") || !PATHS.test(request.url)) return next(request, env, ctx);
    if (isPreflight(request)) return answerPreflight(request, "*", METHODS);
    const answer = await next(request, env, ctx);
    // The feature `cors` may have named the origin already.
    if (answer.headers.has("access-control-allow-origin")) return answer;
    answer.headers.set("access-control-allow-origin", "*");
    answer.headers.set("access-control-expose-headers", EXPOSED);
    return answer;
  };
}
