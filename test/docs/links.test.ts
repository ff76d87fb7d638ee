import { existsSync, globSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

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

describe.each(pages)("%s", (page) => {
  test("links and names only files that exist", async () => {
    const text = await readFile(join(ROOT, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) =>
      join(dirname(page), path!),
    );
    const named = [...text.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(([, path]) => path!);

    expect([...links, ...named].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
