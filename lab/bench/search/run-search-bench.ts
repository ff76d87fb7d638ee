/**
 * How well discovery finds tools, and what it costs.
 *
 *   npm run bench:search [-- --checkouts DIR]    DIR has checkouts of published benchmarks: report.md beside it says which
 */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";

import { readOwnCatalogue } from "./own-catalogue.ts";
import { readPublicCatalogues } from "./public-catalogues.ts";
import { reportSearch } from "./report.ts";

const { values } = parseArgs({ options: { checkouts: { type: "string" } } });
const ours = readOwnCatalogue();
const published = values.checkouts === undefined ? [] : readPublicCatalogues(values.checkouts);
for (const line of reportSearch([ours, ...published])) console.log(line);

// In a process of its own, so that nothing is warm before the first request.
const cost = new URL("measure-cost.ts", import.meta.url).pathname;
console.log(`\n${execFileSync(process.execPath, [cost], { encoding: "utf8" }).trim()}`);
