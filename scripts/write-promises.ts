/**
 * Write the tables of docs/reliability.md, docs/threats.md and docs/faults.md from the pairs of test/pairs and the reports of the last run of the
 * tests: `npm run promises`.
 * Reports of a run in parts can be named; otherwise they are dist/test-report*.json. A test that they do not know keeps its result.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";

import { readMatrix, triedPairs } from "../test/pairs/matrix.ts";
import { findMarks } from "../test/promises/find-marks.ts";
import { FAULTS, PROMISES, THREATS } from "../test/promises/rows.ts";
import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { type TestReport, updatePromises, updatePromiseTable } from "./docs/promise-tables.ts";

const { positionals: named } = readScript({
  call: "npm run promises --",
  summary: "Bring the tables of docs/reliability.md, docs/threats.md and docs/faults.md up to date",
  positionals: [
    { name: "REPORT", about: "a report of the tests; dist/test-report*.json unless said", isMultiple: true },
  ],
  options: {},
});
const written = (await readdir("dist")).filter((name) => /^test-report.*\.json$/.test(name));
const paths = named.length === 0 ? written.map((name) => `dist/${name}`) : named;
const reports = await Promise.all(
  paths.map(async (path) => {
    const text = await readFile(path, "utf8").catch(() =>
      endScript(new CommandError(`Cannot read ${path}: there is no such file.`)),
    );
    return JSON.parse(text) as TestReport;
  }),
);
const titles = await findMarks();
const pairs = triedPairs(await readMatrix());
for (const [name, update] of [
  ["reliability", (page: string) => updatePromises(page, PROMISES, pairs)],
  ["threats", (page: string) => updatePromiseTable(page, { rows: THREATS, titles, pairs, reports })],
  ["faults", (page: string) => updatePromiseTable(page, { rows: FAULTS, titles, pairs, reports })],
] as const) {
  const page = new URL(`../docs/${name}.md`, import.meta.url);
  await writeFile(page, update(await readFile(page, "utf8")));
}
