import { mark, type Part } from "../../core/kit/markup.ts";
import type { Page } from "./respond-page.ts";

/** Make a page that says one thing, and offers nothing. */
export function makePlainPage(status: number, title: string, ...paragraphs: readonly Part[]): Page {
  const body = mark`<h1>${title}</h1>
${paragraphs.map((text) => mark`<p>${text}</p>\n`)}`;
  return { status, title, body };
}
