import { existsSync, globSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { trial } from "../support/trial.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const pages = [
  ...(await readdir(ROOT)).filter((name) => name.endsWith(".md")),
  ...[
    "docs/**/*.md",
    "lab/*.md",
    "lab/{bench,mutation,peers,soak}/**/report.md",
    "test/chaos/report.md",
  ].flatMap((pattern) => globSync(pattern, { cwd: ROOT })),
];

const CODE = /^```.*?^```$/gms;

/** The names of a page's headings, as GitHub and the site make them. */
async function headingsOf(file: string): Promise<readonly string[]> {
  const text = (await readFile(join(ROOT, file), "utf8")).replaceAll(CODE, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

describe.each(pages)("%s", (page) => {
  test("links and names only files that exist", async () => {
    const text = await readFile(join(ROOT, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) =>
      join(dirname(page), path!),
    );
    const named = [...text.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(([, path]) => path!);

    expect([...links, ...named].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  trial("links only to headings that exist", async () => {
    const text = await readFile(join(ROOT, page), "utf8");
    const links = text.replaceAll(CODE, "").matchAll(/\]\((?!https?:)([^)#\s]*?)#([^)\s]+)\)/g);
    const dead: string[] = [];
    for (const [, path = "", heading] of links) {
      const file = path === "" ? page : join(dirname(page), path);
      if (file.endsWith(".md") && !(await headingsOf(file)).includes(heading!))
        dead.push(`${file}#${heading}`);
    }
    expect(dead).toEqual([]);
  });
});
