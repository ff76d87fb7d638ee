import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { readOwnCatalogue } from "../../lab/bench/search/own-catalogue.ts";
import { reportSearch } from "../../lab/bench/search/report.ts";
import { reportTokens } from "../../lab/bench/tokens/measure-tokens.ts";
import { readCatalogue } from "../fixtures/catalogue/read-catalogue.ts";

const page = await readFile(new URL("../../docs/discovery.md", import.meta.url), "utf8");
const tools = readCatalogue();

test("docs/discovery.md prints what npm run bench:search measures on the catalogue of this repository", () => {
  expect(page).toContain(reportSearch([readOwnCatalogue()]).join("\n"));
});

test("docs/discovery.md prints what npm run bench:tokens measures", () => {
  expect(page).toContain(reportTokens(tools, "openai").join("\n"));
});
