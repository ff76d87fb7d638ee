import { readFile } from "node:fs/promises";

import MiniSearch from "minisearch";
import { expect, test } from "vitest";

import { behindOf, pagesOf, readIndex } from "../../scripts/docs/read-index.ts";
import { boostDocument, SEARCH_OPTIONS } from "../../scripts/docs/search-options.ts";
import { addressOf } from "../../scripts/docs/site-pages.ts";

/* The site's search, over the sections of every page as its generator cuts them: at headings. */

interface Section {
  readonly id: string;
  readonly title: string;
  readonly titles: readonly string[];
  readonly text: string;
}

const parts = readIndex(await readFile("docs/index.md", "utf8"));
const references = behindOf(parts).map(addressOf);
const sections = (await Promise.all(pagesOf(parts).map(({ file }) => readSections(file)))).flat();
const index = new MiniSearch<Section>({ fields: ["title", "titles", "text"] });
index.addAll(sections);

async function readSections(file: string): Promise<readonly Section[]> {
  const above: string[] = [];
  let isCode = false;
  const found: { level: number; title: string; lines: string[] }[] = [];
  for (const line of (await readFile(file, "utf8")).split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, marks, title] = (!isCode && /^(#{1,6}) (.*)$/.exec(line)) || [];
    if (marks === undefined) found.at(-1)?.lines.push(line);
    else found.push({ level: marks.length, title: title!, lines: [] });
  }
  return found.map(({ level, title, lines }, at) => {
    above.length = level - 1;
    const titles = above.filter(Boolean);
    above[level - 1] = title;
    return { id: `/docs/${addressOf(file)}#${at}`, title, titles, text: lines.join("\n") };
  });
}

/** The pages of the first results, each once. */
function pagesFor(query: string): readonly string[] {
  const found = index.search(query, {
    ...SEARCH_OPTIONS,
    boostDocument: (id) => boostDocument(id as string, references),
  });
  return [...new Set(found.slice(0, 5).map(({ id }) => (id as string).split("#")[0]!.replace("/docs/", "")))];
}

test.each([
  ["pricing", "operate"],
  ["replay webhook", "endpoints"],
  ["localhost webhook", "endpoints"],
  ["retry", "jobs"],
  ["timeout", "deadlines"],
  ["rate limit", "quota"],
  ["langchain", "clients/langchain"],
  ["oauth", "sign-in"],
  ["cancel job", "jobs"],
  ["idempotency key", "idempotency"],
  ["human in the loop", "confirmations"],
  ["cost", "operate"],
])("A search for '%s' leads to %s among its first pages", (query, page) => {
  expect(pagesFor(query).slice(0, 3)).toContain(page);
});

test.each(["pricing", "replay webhook", "localhost webhook", "retry", "timeout", "rate limit", "cost"])(
  "A search for '%s' begins with no page of tables and none for developers of Volley",
  (query) => {
    expect(references).not.toContain(pagesFor(query)[0]);
  },
);

test("A page of tables is found by a word that it alone has", () => {
  expect(pagesFor("nhtsa-recall-search")).toContain("tools");
});
