import { expect, test } from "vitest";

import { makePlainPages } from "../../scripts/docs/plain-pages.ts";
import { readIndex } from "../../scripts/docs/read-index.ts";

const INDEX = "## Begin\n\n- [Jobs](jobs.md): what <goes> on\n- [A sender](senders/github.md)\n";

test("Until the site is built, each page of the index stands at its address as text", () => {
  const texts = new Map([
    ["docs/index.md", INDEX],
    ["docs/jobs.md", "# Jobs\n\n`a < b`"],
    ["docs/senders/github.md", "# GitHub"],
  ]);
  const pages = makePlainPages(readIndex(INDEX), texts);
  expect([...pages.keys()]).toEqual([
    "docs/plain.css",
    "docs/index.html",
    "docs/jobs.html",
    "docs/senders/github.html",
    "llms.txt",
    "llms-full.txt",
  ]);
  expect(pages.get("docs/index.html")).toContain('<a href="/docs/jobs">Jobs</a>: what &lt;goes> on');
  expect(pages.get("docs/jobs.html")).toContain("<pre># Jobs\n\n`a &lt; b`</pre>");
  expect(pages.get("docs/jobs.html")).not.toMatch(/<style|style=|<script/);
  expect(pages.get("llms.txt")).toContain("[Jobs](/docs/jobs)");
  expect(pages.get("llms-full.txt")).toContain("<!-- /docs/senders/github -->\n\n# GitHub");
});
