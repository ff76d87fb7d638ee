import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { readLimits, updateLimitsPage } from "../../scripts/docs/limits-page.ts";
import { trial } from "../support/trial.ts";

const page = await readFile(new URL("../../docs/limits.md", import.meta.url), "utf8");
const { source, limits: numbers } = await readLimits();

test("docs/limits.md lists every limit with its value; npm run limits brings it up to date", () => {
  const listed = [...page.matchAll(/^\| `(\w+)` \| ([\d,]+)/gm)].map(
    ([, name, value]) => [name!, Number(value!.replaceAll(",", ""))] as const,
  );

  expect(Object.fromEntries(listed), "run: npm run limits").toEqual(numbers);
  expect(listed).toHaveLength(Object.keys(numbers).length);
});

trial("npm run limits changes nothing on a page that is up to date", () => {
  expect(updateLimitsPage(page, { source, limits: numbers })).toBe(page);
});

const OLD = `# Limits

| limit | value | reason |
|---|---|---|
| \`actions\` | 40 levels | few |
| \`gone\` | 1 | was needed |

Between the tables.

| limit | value | reason |
|---|---|---|
| \`waitMs\` | 5,000 | long |
`;
const SOURCE = `
/** A model cannot keep more in mind. */
export const actions = 50;
/** Room for a | and
 * for more. */
export const pageBytes = 64 * 1024;
/** Long. */
export let waitMs = 5_000;
/** Too late to ask. */
export const keptMs = 7 * 24 * 3_600_000;
`;

test("npm run limits corrects values, adds rows where the source has them, and takes out what is gone", () => {
  const limits = { actions: 50, pageBytes: 65_536, waitMs: 5_000, keptMs: 604_800_000 };
  expect(updateLimitsPage(OLD, { source: SOURCE, limits })).toBe(`# Limits

| limit | value | reason |
|---|---|---|
| \`actions\` | 50 | few |
| \`pageBytes\` | 65,536 (64 KiB) | Room for a \\| and for more |

Between the tables.

| limit | value | reason |
|---|---|---|
| \`waitMs\` | 5,000 | long |
| \`keptMs\` | 604,800,000 (7 d) | Too late to ask |
`);
});

test("npm run limits asks for the reason of a limit that has none", () => {
  expect(() => updateLimitsPage(OLD, { source: "export const bare = 1;", limits: { bare: 1 } })).toThrow(
    "'bare' has no comment with its reason",
  );
});
