import { sha256 } from "../../../core/kit/sha256.ts";
import { mark, type Markup } from "./markup.ts";
import { STYLE } from "./style.ts";

/** A page as it is answered. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Markup;
  /** Where its form may lead besides our own origin, as a policy's sources; nowhere unless said. */
  readonly leadsTo?: string;
}

let style: string | undefined;

/** Nothing but our own style, and forms that go back to where they came from: no script, no frame, no other origin. */
function makePolicy(leadsTo: string): string {
  style ??= hashStyle();
  return `default-src 'none'; style-src 'sha256-${style}'; form-action 'self'${leadsTo && ` ${leadsTo}`}; frame-ancestors 'none'; base-uri 'none'`;
}

function hashStyle(): string {
  const bytes = sha256(STYLE)
    .match(/../g)!
    .map((hex) => Number.parseInt(hex, 16));
  return btoa(String.fromCharCode(...bytes));
}

/** Answer with a page that works without a script, and that no other page may frame, keep or be told the address of. */
export function respondPage({ status, title, body, leadsTo = "" }: Page): Response {
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
      "content-security-policy": makePolicy(leadsTo),
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
      "cache-control": "no-store",
    },
  });
}
