/**
 * Print how many words each page of `docs` has, by hand and by a command, and which pages say the same. Fails above a bound.
 *
 *   npm run docs:words
 */
import { fileURLToPath } from "node:url";

import { readScript } from "./command/read-script.ts";
import { findOverlaps, measurePages } from "./docs/measure-pages.ts";
import { BOUNDS, findExcess } from "./docs/page-bounds.ts";

readScript({ call: "npm run docs:words --", summary: "Count the words of the pages", options: {} });

const pages = measurePages(fileURLToPath(new URL("..", import.meta.url)));
for (const { file, byHand, byCommand } of pages.toSorted((a, b) => b.byHand - a.byHand))
  console.log(`${String(byHand).padStart(6)} ${String(byCommand).padStart(6)}  ${file}`);
const sum = (of: "byHand" | "byCommand"): number => pages.reduce((all, page) => all + page[of], 0);
console.log(`${sum("byHand")} words by hand (at most ${BOUNDS.byHand}), ${sum("byCommand")} by commands`);
for (const { files, percent } of findOverlaps(pages).slice(0, 10))
  console.log(`${percent.toFixed(1)} % of ${files.join(" and ")}`);

const excess = findExcess(pages);
for (const line of excess) console.error(line);
if (excess.length > 0) process.exitCode = 1;
