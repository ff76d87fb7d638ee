import { defineFeature, type Feature, type Fetch } from "../../feature/define.ts";
import { hashSource } from "../../feature/kit.ts";
import { listRoutesOf } from "../../feature/route.ts";
import { makeFrontPage } from "./page/front-page.ts";
import { FRONT_STYLE } from "./page/front-style.ts";

/**
 * The pages for people, `/` and `/console`. The console is files beside the Worker: `[assets]` in wrangler.toml names their folder. With it an action
 * that waits for a yes has the address of the page where it is decided.
 */
export function console() {
  return defineFeature({ name: "console", needs: ["discovery", "usage"], around: answerFront });
}

/**
 * Answer `GET /` with the page for people, which needs no key and has no script. A client that takes no page, such as one that asks for
 * `application/json` alone, is answered as if the page were not there.
 */
function answerFront(next: Fetch, features: readonly Feature[]): Fetch {
  let listed: readonly { readonly name: string; readonly routes: readonly string[] }[] | undefined;
  let policy: string | undefined;
  return (request, env, ctx) => {
    if (!wantsPage(request)) return next(request, env, ctx);
    listed ??= features.map((feature) => ({ name: feature.name, routes: listRoutesOf([feature]) }));
    policy ??= `default-src 'none'; style-src ${hashSource(FRONT_STYLE)}; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;
    const { origin } = new URL(request.url);
    const page = makeFrontPage({ origin, features: listed });
    return new Response(request.method === "HEAD" ? null : page.html, {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "x-request-id": crypto.randomUUID(),
        // A Worker's clock stands still while it computes, and nothing is waited for.
        "server-timing": "write;dur=0",
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "no-cache",
        vary: "accept",
      },
    });
  };
}

/** Origin and `/` alone, maybe with a query. */
const FRONT = /^https?:\/\/[^/?#]+\/?(?:\?|#|$)/;

function wantsPage({ method, url, headers }: Request): boolean {
  if ((method !== "GET" && method !== "HEAD") || !FRONT.test(url)) return false;
  const accept = headers.get("accept") ?? "*/*";
  return accept.includes("text/html") || accept.includes("*/*");
}
