import { html, type Part } from "./html.ts";
import type { Page } from "./respond-page.ts";

/** Make a page that says one thing, and offers nothing. */
export function makePlainPage(status: number, title: string, ...paragraphs: readonly Part[]): Page {
  const body = html`<h1>${title}</h1>
    ${paragraphs.map((text) => html`<p>${text}</p> `)}`;
  return { status, title, body };
}
