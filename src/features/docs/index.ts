import { defineFeature, type Fetch } from "../../feature/define.ts";

/**
 * The documentation as a site at `/docs`, and as text at `/llms.txt` and `/llms-full.txt`: files beside the Worker. `[assets]` in wrangler.toml names
 * their folder, `node_modules/volley/dist/console-and-docs`; in a clone `npm run docs` builds them. The front page leads there.
 */
export function docs() {
  return defineFeature({ name: "docs", around: answerMissing });
}

/**
 * Answer who asks for a page of the documentation which is not there. The platform answers those that are, so a request that comes here has a wrong
 * address, or the site was not built. No key would change that, so none is asked for.
 */
function answerMissing(next: Fetch): Fetch {
  return (request, env, ctx) =>
    (request.method === "GET" || request.method === "HEAD") && DOCS.test(request.url)
      ? new Response(request.method === "HEAD" ? null : PAGE, {
          status: 404,
          headers: { ...HEADERS, "x-request-id": crypto.randomUUID() },
        })
      : next(request, env, ctx);
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No such page</title>
<h1>There is no such page of the documentation</h1>
<p><a href="/docs/">All pages</a> are listed there. If that page is missing too, the documentation is not beside this Worker: <code>npx volley doctor</code> says
which line of <code>wrangler.toml</code> names it; in a clone <code>npm run docs</code> builds it.</p>
</html>
`;

/** Origin and a path below `/docs`, or one of the two texts. */
const DOCS = /^https?:\/\/[^/?#]+\/(?:docs(?:[/?#]|$)|llms(?:-full)?\.txt(?:[?#]|$))/;
