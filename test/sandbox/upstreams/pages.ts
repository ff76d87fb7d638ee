import { SITES } from "./brave-search.ts";
import type { StandInPorts } from "./stand-in.ts";

/** Pages of every kind; `.test` resolves nowhere. */
const PAGES_HOST = "pages.sandbox.test";

/** Hosts that have pages: that one, and those whose pages the search engines find. */
export const PAGE_HOSTS: readonly string[] = [PAGES_HOST, ...SITES.map(({ host }) => host)];

const LATENCY_MS = 90;
const MIB = 1024 * 1024;

const HTML = "text/html; charset=utf-8";

const ARTICLE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tea &amp; milk</title>
<style>p { color: red }</style><script>document.write("</p>never shown");</script></head>
<body><nav><a href="/">Home</a> <a href="/about">About</a></nav>
<main><h1>Tea &amp; milk</h1>
<p>Which comes <em>first</em>?&nbsp;Opinions differ &mdash; and have for 300&nbsp;years.
<ul><li>Milk first: the cup is spared.<li>Tea first: the colour tells how much.</ul>
<table><tr><th>Country<th>First</tr><tr><td>England<td>either</td></tr></table>
<pre>pour(tea);
  pour(milk);</pre>
<p>The caf&eacute; on the corner says: <q>neither</q>. ${"It goes on for a while. ".repeat(8)}</p></main>
<footer>All rights reserved</footer></body></html>`;

const bytesOf = (latin1: string): Uint8Array =>
  Uint8Array.from(latin1, (character) => character.charCodeAt(0));

interface Page {
  readonly type: string | null;
  readonly body: string | Uint8Array | (() => string);
  readonly status?: number;
  readonly location?: string;
}

const PAGES: Readonly<Record<string, Page>> = {
  "/article": { type: HTML, body: ARTICLE },
  "/latin1": {
    type: "text/html; charset=ISO-8859-1",
    body: bytesOf("<title>Caf\xe9</title><p>d\xe9j\xe0 vu"),
  },
  "/windows-1251": {
    type: "text/html",
    body: bytesOf(
      '<meta http-equiv="content-type" content="text/html; charset=windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2',
    ),
  },
  "/unnamed-encoding": { type: "text/html", body: bytesOf("<p>na\xefve \x96 or not") },
  "/plain": { type: "text/plain; charset=utf-8", body: "One line.\r\n  Two <b>lines</b> & no markup.\n" },
  "/markdown": { type: "text/markdown", body: "# Tea\n\n- [milk](https://milk.example)\n" },
  "/json": { type: "application/json", body: '{"tea": ["black", "green"]}' },
  "/feed": { type: "application/rss+xml", body: "<rss><channel><title>Tea</title></channel></rss>" },
  "/pdf": { type: "application/pdf", body: "%PDF-1.7\n1 0 obj" },
  "/image": { type: "image/png", body: bytesOf("\x89PNG\r\n\x1a\n\0\0") },
  "/disguised": { type: "text/plain", body: bytesOf("PK\x03\x04\0\0\0") },
  "/untyped": { type: null, body: ARTICLE },
  "/scripted": { type: HTML, body: '<title>App</title><div id="root"></div><script src="/app.js"></script>' },
  "/huge": { type: HTML, body: () => `<p>${"word ".repeat((2 * MIB) / 5)}` },
  "/long": { type: HTML, body: () => `<title>Long</title><p>${"word ".repeat(100_000)}` },
  "/hostile": { type: HTML, body: () => `<p>before ${"<".repeat(500_000)}${"<div><!--".repeat(50_000)}` },
  "/moved": { type: null, body: "", status: 301, location: "/article" },
  "/away": { type: null, body: "", status: 302, location: "https://169.254.169.254/latest/meta-data/" },
  "/loop": { type: null, body: "", status: 302, location: "/loop" },
  "/down": { type: HTML, body: "<h1>Service unavailable</h1>", status: 503 },
  "/members": { type: HTML, body: "<h1>Please log in</h1>", status: 403 },
};

/**
 * Answer as a web server: pages of every kind at `pages.sandbox.test` (`GET /` lists them), an article at every path of the
 * other hosts.
 */
export async function answerPages(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { hostname, pathname } = new URL(request.url);
  if (request.method !== "GET")
    return new Response("Method Not Allowed", { status: 405, headers: { allow: "GET" } });
  if (hostname !== PAGES_HOST) return new Response(ARTICLE, { headers: { "content-type": HTML } });
  if (pathname === "/")
    return new Response(Object.keys(PAGES).join("\n"), { headers: { "content-type": "text/plain" } });
  const page = Object.hasOwn(PAGES, pathname) ? PAGES[pathname]! : NOT_FOUND;
  const { type, status = 200, location } = page;
  const headers = new Headers(location === undefined ? {} : { location });
  const body = typeof page.body === "function" ? page.body() : page.body;
  const response = new Response(typeof body === "string" ? new TextEncoder().encode(body) : body.slice(), {
    status,
    headers,
  });
  if (type !== null) response.headers.set("content-type", type);
  return response;
}

const NOT_FOUND: Page = { type: HTML, body: "<h1>Not found</h1>", status: 404 };
