import { hashSource } from "../../../core/kit/hash-source.ts";
import { mark, type Markup } from "../../../core/kit/markup.ts";
import { STYLE } from "./style.ts";

/** A page as it is answered. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Markup;
}

let policy: string | undefined;

/** Nothing but our own style, and forms that go back to where they came from: no script, no frame, no other origin. */
function makePolicy(): string {
  return `default-src 'none'; style-src ${hashSource(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
}

/** Answer with a page that works without a script, and that no other page may frame, keep or be told the address of. */
export function respondPage({ status, title, body }: Page): Response {
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
  return new Response(page.html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": (policy ??= makePolicy()),
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
      "cache-control": "no-store",
    },
  });
}
