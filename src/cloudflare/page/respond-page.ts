import { hashSource } from "../../core/kit/hash-source.ts";
import { mark, type Markup } from "../../core/kit/markup.ts";
import { STYLE } from "./style.ts";

/** A page as it is answered. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Markup;
}

export interface PageOptions {
  /** Origins to which the answer to the page's form may lead the browser, besides our own. */
  readonly formLeadsTo?: readonly string[];
  /** Cookies that it sets. */
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
