/**
 * How well discovery finds tools, and how long it takes.
 *
 *   npm run bench:search [-- --misses]    --misses names the requests of the tuning set that went wrong
 */
import { parseArgs } from "node:util";

import { createCatalog } from "../../../src/catalog/catalog.ts";
import { ToolSearch } from "../../../src/catalog/search.ts";
import { readCatalogue } from "../../fixtures/catalogue/read-catalogue.ts";
import { readQueries } from "../../fixtures/catalogue/read-queries.ts";
import { namesFor, placeOf } from "./measure-search.ts";
import { reportSearch } from "./report.ts";

const { values } = parseArgs({ options: { misses: { type: "boolean", default: false } } });
const catalog = createCatalog(readCatalogue());
const queries = readQueries();

console.log(`${catalog.tools.length} tools\n`);
for (const line of reportSearch(catalog, queries)) console.log(line);

const rounds = 5;
const startedAt = performance.now();
for (let round = 0; round < rounds; round += 1) for (const { text } of queries) catalog.search(text);
const perQueryMs = (performance.now() - startedAt) / (rounds * queries.length);
const buildFrom = performance.now();
const built = new ToolSearch(catalog.tools);
built.find("x");
console.log(
  `\n${perQueryMs.toFixed(2)} ms a request, ${(performance.now() - buildFrom).toFixed(0)} ms to build the index once`,
);

if (values.misses) {
  console.log("");
  for (const query of queries.filter(({ set }) => set === "tuning")) {
    const names = namesFor(query.text, catalog);
    const isWrong = query.kind === "nothing" ? names.length > 0 : placeOf(query, catalog) > 1;
    if (isWrong)
      console.log(
        `${query.text}\n  meant ${query.expected.join(", ")}; found ${names.slice(0, 3).join(", ")}`,
      );
  }
}
