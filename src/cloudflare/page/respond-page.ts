import { hashSource, mark, type Markup, type Part } from "../../core/kit/markup.ts";

/** A page as it is answered. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Markup;
}

export interface PageOptions {
  /** Origins to which the answer to the page's form may lead the browser, besides our own. */
  readonly formLeadsTo?: readonly string[];
  readonly cookies?: readonly string[];
}

let styleHash: string | undefined;

/** Nothing but our own style, and forms that go back to where they came from: no script, no frame, no other origin. */
function makePolicy(origins: readonly string[]): string {
  const forms = ["'self'", ...origins].join(" ");
  return `default-src 'none'; style-src ${(styleHash ??= hashSource(STYLE))}; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`;
}

/** Answer with a page that works without a script, and that no other page may frame, keep or be told the address of. */
export function respondPage(
  { status, title, body }: Page,
  { formLeadsTo = [], cookies = [] }: PageOptions = {},
): Response {
  const page = mark`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  const response = new Response(page.html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": makePolicy(formLeadsTo),
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
      "cache-control": "no-store",
    },
  });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** Lead a browser on. The next page is not told where it came from. */
export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers },
  });
}

/** The style of the pages that the Worker makes: the console's colours, light and dark, in one column that fits a phone. */
const STYLE = `:root{color-scheme:light dark;--page:light-dark(#f6f7f9,#101217);--card:light-dark(#fff,#181b22);--sunk:light-dark(#eff1f5,#12141a);--line:light-dark(#dfe3ea,#2b303b);--strong:light-dark(#858d9c,#6d7686);--text:light-dark(#1a1e27,#e8eaf0);--muted:light-dark(#5a6272,#a0a8b8);--accent:light-dark(#4338ca,#a5b4fc);--fill:light-dark(#4338ca,#5b54e0);--bad:light-dark(#b42318,#ff9a8f)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
form{display:grid;gap:16px}
main{max-width:720px;margin:0 auto;padding:32px 16px 64px;display:grid;gap:16px}
h1{font-size:22px;line-height:1.25;margin:0;letter-spacing:-.01em}
h2{font-size:15px;margin:0}
p,dl,dd{margin:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px;display:grid;gap:12px;min-width:0}
.muted,dt{color:var(--muted);font-size:13px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px}
dd{overflow-wrap:anywhere}
pre,textarea{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;background:var(--sunk);border:1px solid var(--line);border-radius:6px;padding:12px;margin:0;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;max-height:480px;color:inherit;width:100%}
label{display:grid;gap:4px;font-size:13px;color:var(--muted)}
textarea{background:var(--card);border-color:var(--strong);color:var(--text)}
.buttons{display:flex;gap:8px;flex-wrap:wrap}
input[type=password]{font:inherit;padding:8px 12px;border-radius:8px;border:1px solid var(--strong);background:var(--sunk);color:var(--text);width:100%}
fieldset{border:0;margin:0;padding:0;display:grid;gap:8px;min-width:0}
legend{padding:0 0 4px;font-size:13px;color:var(--muted)}
label.pick{display:flex;gap:8px;align-items:baseline;font-size:15px;color:var(--text)}
.sub{padding-left:24px}
.host{font-size:22px;font-weight:600;overflow-wrap:anywhere}
.code{font:600 28px/1.3 ui-monospace,"SF Mono",Menlo,Consolas,monospace;letter-spacing:.12em;user-select:all;text-align:center}
.warn{border-color:var(--bad)}
button{font:inherit;padding:8px 20px;border-radius:8px;border:1px solid var(--strong);background:var(--card);color:var(--text);cursor:pointer}
button.yes{background:var(--fill);border-color:var(--fill);color:#fff}
button.no{color:var(--bad)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}`;

/** Make a page that says one thing, and offers nothing. */
export function makePlainPage(status: number, title: string, ...paragraphs: readonly Part[]): Page {
  const body = mark`<h1>${title}</h1>
${paragraphs.map((text) => mark`<p>${text}</p>\n`)}`;
  return { status, title, body };
}

/** Answer a visitor who sends too many requests with a page that says when to come back. */
export function respondFlood(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1_000);
  const page = makePlainPage(
    429,
    "Too many requests",
    `More requests come from where you are than are answered here. Nothing was done; open the page again in ${seconds} s.`,
  );
  const response = respondPage(page);
  response.headers.set("retry-after", String(seconds));
  return response;
}
