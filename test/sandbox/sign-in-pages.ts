import { PEOPLE } from "./upstreams/account-server.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const PREFIX = "/stand-in/";

type Fetch<Env> = (request: Request, env: Env, ctx: ExecutionContext) => Response | Promise<Response>;

/**
 * Serve the pages where people sign in at providers that stand-ins pretend to be. A browser cannot reach these, so where Volley sends it to
 * one, it is sent to a page of the sandbox's own in its place, which asks for the person, and then on by what the stand-in answers.
 */
export function withSignInPages<Env>(next: Fetch<Env>): Fetch<Env> {
  return async (request, env, ctx) => {
    // A malformed host makes a malformed address, which Volley refuses itself.
    const url = URL.parse(request.url);
    if (url?.pathname.startsWith(PREFIX) === true) return signIn(url);
    const response = await next(request, env, ctx);
    const location = response.headers.get("location");
    if (location === null || !hasStandIn(location)) return response;
    const { host, pathname, search } = new URL(location);
    const headers = new Headers(response.headers);
    headers.set("location", `${PREFIX}${host}${pathname}${search}`);
    return new Response(null, { status: response.status, headers });
  };
}

async function signIn(url: URL): Promise<Response> {
  const target = new URL(`https://${url.pathname.slice(PREFIX.length)}${url.search}`);
  if (!url.searchParams.has("as")) {
    const links = [...PEOPLE, "nobody"].map((person) => {
      const as = new URL(url);
      as.searchParams.set("as", person);
      return `<li><a href="${as.href.replaceAll("&", "&amp;")}">${person}</a></li>`;
    });
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><h1>${target.host} (a stand-in): sign in as</h1><ul>${links.join("")}</ul></html>`;
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  }
  return (await routeUpstream(new Request(target))) ?? new Response("No stand-in", { status: 404 });
}
