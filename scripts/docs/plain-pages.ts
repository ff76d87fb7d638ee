import { makeLlmsFull, makeLlmsIndex } from "./llms-text.ts";
import { type IndexPart, pagesOf } from "./read-index.ts";
import { addressOf } from "./site-pages.ts";

/** The page with the list of all, which `npm run docs` makes too. */
const INDEX = "docs/index.md";

/** A file of the site as the generator makes it; where it is missing, what is there was made here. */
export const BUILT_MARK = "docs/assets";

/**
 * Make the documentation without its generator, which has an install of its own: every page as the text that its author wrote, at the address that it has
 * in the site. A clone serves these until `npm run docs` builds the site over them.
 *
 * @param texts the pages by their files, as the index lists them, and `docs/index.md`
 * @returns what stands in the files below the console's folder
 */
export function makePlainPages(
  parts: readonly IndexPart[],
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const pages = pagesOf(parts);
  const links = pages.map(
    ({ title, file, about }) =>
      `<li><a href="/docs/${addressOf(file)}">${escapeText(title)}</a>${about === "" ? "" : `: ${escapeText(about)}`}</li>`,
  );
  return new Map([
    ["docs/plain.css", STYLE],
    ["docs/index.html", toPage("Documentation", `<ul>\n${links.join("\n")}\n</ul>`)],
    ...pages.map(({ title, file }): [string, string] => [
      `docs/${addressOf(file)}.html`,
      toPage(title, `<p><a href="/docs/">All pages</a></p>\n<pre>${escapeText(texts.get(file) ?? "")}</pre>`),
    ]),
    ["llms.txt", makeLlmsIndex(parts)],
    ["llms-full.txt", makeLlmsFull([INDEX, ...pages.map(({ file }) => file)], texts)],
  ]);
}

/** The platform's headers let no style in but a file's. */
const STYLE = `:root { color-scheme: light dark; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
pre { font: 0.9rem/1.6 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

function toPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)} | Volley</title>
<link rel="stylesheet" href="/docs/plain.css">
<main>
<h1>${escapeText(title)}</h1>
<p>The pages as text, from this clone. <code>npm run docs</code> makes the site of them, with a search.</p>
${body}
</main>
</html>
`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
