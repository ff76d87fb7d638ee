import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { readOwnCatalogue } from "../../lab/bench/search/own-catalogue.ts";
import { reportSearch } from "../../lab/bench/search/report.ts";
import { reportTokens } from "../../lab/bench/tokens/measure-tokens.ts";
import { readCatalogue } from "../fixtures/catalogue/read-catalogue.ts";
import { trial } from "../support/trial.ts";

const page = await readFile(new URL("../../docs/discovery.md", import.meta.url), "utf8");
const report = await readFile(new URL("../../lab/bench/search/report.md", import.meta.url), "utf8");
const tools = readCatalogue();

trial(
  "lab/bench/search/report.md prints what npm run bench:search measures on the catalogue of this repository",
  () => {
    expect(report).toContain(reportSearch([readOwnCatalogue()]).join("\n"));
  },
);

test("docs/discovery.md says of the catalogue of this repository what that report says", () => {
  const row = /^\| ours \|(.*)\|$/m.exec(report)![1]!;
  const [tools, , first, three, ten] = row.split("|").map((cell) => Number(cell));
  const percent = (share = 0): string => `${Math.round(100 * share)} %`;
  expect(page.replaceAll("\n", " ")).toContain(
    `With the ${tools} tools of this repository ${percent(first)} of the needed tools are the first in the list, ${percent(three)} among the first three and ${percent(ten)} among ten`,
  );
});

trial("docs/discovery.md prints what npm run bench:tokens measures", () => {
  expect(page).toContain(reportTokens(tools, "openai").join("\n"));
});
