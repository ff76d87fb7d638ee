import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { makeLlmsFull, makeLlmsIndex } from "../../scripts/docs/llms-text.ts";
import { pagesOf, readIndex, referencesOf } from "../../scripts/docs/read-index.ts";
import { addressOf, toSitePage } from "../../scripts/docs/site-pages.ts";
import { trial } from "../support/trial.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const names = (await readdir(join(ROOT, "docs"), { recursive: true })).filter((name) => name.endsWith(".md"));
const pages = names.map((name) => `docs/${name}`);
const textOf = (file: string): Promise<string> => readFile(join(ROOT, file), "utf8");
const index = readIndex(await textOf("docs/index.md"));

describe("docs/index.md", () => {
  test("lists every page once, but for itself", () => {
    const listed = pagesOf(index)
      .map(({ file }) => file)
      .filter((file) => file.startsWith("docs/"));
    const others = pages.filter((page) => page !== "docs/index.md");
    expect(listed.toSorted()).toEqual(others.toSorted());
  });

  test("sorts them by what a reader wants to do: the four pages for readers first, tables of commands last", () => {
    expect(index.map(({ title }) => title)).toEqual([
      "Begin here",
      "Learn by doing",
      "Call tools",
      "Ask a person",
      "Connect a model or a client",
      "Make tools",
      "Run flows and send webhooks",
      "Build and operate",
      "Judge it",
      "Reference",
      "For developers of Volley",
    ]);
    expect(pagesOf(index.slice(0, 1)).map(({ file }) => file)).toEqual(
      ["newcomers", "products", "agents", "operators"].map((name) => `docs/for-${name}.md`),
    );
    expect(referencesOf(index)).toEqual(
      ["limits", "storage", "tools", "threats", "faults", "pairs"].map((name) => `docs/${name}.md`),
    );
  });

  trial("leads to every page in three clicks, as the README does", async () => {
    for (const start of ["docs/index.md", "README.md"]) {
      let reached = new Set([start]);
      for (let click = 0; click < 3; click += 1) {
        const found = await Promise.all([...reached].filter((file) => file.endsWith(".md")).map(linksOf));
        reached = new Set([...reached, ...found.flat()]);
      }
      expect(pages.filter((page) => !reached.has(page))).toEqual([]);
    }
  });
});

/** The pages that a page links to. */
async function linksOf(file: string): Promise<readonly string[]> {
  const links = (await textOf(file)).matchAll(/\]\((?!https?:|#)([^)#\s]+\.md)/g);
  return [...links].map(([, path]) => posix.normalize(posix.join(posix.dirname(file), path!)));
}

describe("A page of the site", () => {
  const files = new Set(["docs/index.md", "docs/jobs.md", "docs/clients/curl.md", "ARCHITECTURE.md"]);
  const rewrite = (text: string, file = "docs/jobs.md", repository = ""): string =>
    toSitePage(text, { file, files, repository });

  test.each([
    ["another page", "[curl](clients/curl.md)", "[curl](/clients/curl)"],
    ["a heading of one", "[all](index.md#tools)", "[all](/#tools)"],
    ["a page of the root", "[how](../ARCHITECTURE.md#rooms)", "[how](/architecture#rooms)"],
    ["a heading of its own", "[below](#later)", "[below](#later)"],
    ["another site", "[spec](https://example.com/a.md)", "[spec](https://example.com/a.md)"],
    ["a picture", "![plan](images/plan.png)", "![plan](/images/plan.png)"],
    ["a file of the repository", "[kit](../src/core/kit)", "`kit`"],
    ["one whose label is code", "[`kit`](../src/core/kit)", "`kit`"],
  ])("links to %s", (_, text, expected) => {
    expect(rewrite(text)).toBe(expected);
  });

  test("links to files of a repository that has an address", () => {
    const text = "[kit](../src/core/kit)";
    expect(rewrite(text, "docs/jobs.md", "https://git.example/v")).toBe(
      "[kit](https://git.example/v/blob/main/src/core/kit)",
    );
  });

  test("keeps code as it is, and of a fence its first word", () => {
    const code = "`[a](jobs.md)`\n\n```json runnable\n[a](jobs.md)\n```\n";
    expect(rewrite(code)).toBe(code.replace(" runnable", ""));
  });

  test("shows a picture's light or dark twin", () => {
    const picture =
      '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="images/a-dark.png" />\n  <img alt="A" src="images/a-light.png" />\n</picture>';
    expect(rewrite(picture)).toBe(
      '<img class="in-light" alt="A" src="/images/a-light.png" /><img class="in-dark" alt="A" src="/images/a-dark.png" />',
    );
  });
});

describe("/llms.txt", () => {
  test("names every page with its address in the site, and llms-full.txt has their text", async () => {
    const text = makeLlmsIndex(index);
    for (const { file, title } of pagesOf(index))
      expect(text).toContain(`[${title}](/docs/${addressOf(file)})`);
    const full = makeLlmsFull(["docs/jobs.md"], new Map([["docs/jobs.md", await textOf("docs/jobs.md")]]));
    expect(full).toContain("<!-- /docs/jobs -->\n\n# Background jobs");
  });
});
