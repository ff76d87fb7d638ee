import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";

const MIB = 1024 * 1024;

/** Markup that is dear to read for a reader that looks back, nests, or searches more than once. */
const MARKUP: Readonly<Record<string, string>> = {
  "lone angle brackets": "<",
  "tags without an end": "<a ",
  "comments without an end": "<!--",
  "quotes without an end": "<a b='",
  "elements inside each other": "<div>",
  "menus inside each other": "<nav>",
  "scripts that are empty": "<script></script>",
  "scripts without an end": "<script></script",
  "cells of one row": "<td>x",
  "character references": "&#x41;",
  "blanks that count": "<pre>   \n",
};

/** Attacks that make reading a page slow. */
export const PAGE_ATTACKS: readonly Attack[] = Object.entries(MARKUP).map(([what, markup]) => ({
  title: `ten pages of 0.9 MiB of ${what} are read as text`,
  run: async ({ upstream, execute }) => {
    const page = `<title>T</title>${markup.repeat(Math.floor((0.9 * MIB) / markup.length))}`;
    upstream.script(
      "/page",
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end(page),
    );
    const actions = Array.from({ length: 10 }, (_, n) => ({
      tool: "web_fetch",
      args: { url: `${upstream.url}/page?n=${n}`, max_characters: 1_000 },
    }));
    const answer = await execute({ actions });
    assert.equal(answer.status, 200);
    assert.equal(answer.text.split('"status":"success"').length - 1, 10, answer.text.slice(0, 500));
    assert.ok(answer.bytes < 10 * 3_000, `${answer.bytes} bytes`);
  },
}));
