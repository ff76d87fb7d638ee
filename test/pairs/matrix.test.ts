import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { writePairs } from "../../scripts/docs/pairs-page.ts";
import { checkCell, readMatrix } from "./matrix.ts";

const rows = await readMatrix();
const cells = rows.flatMap((row) => row.cells.map(({ cell }) => cell));

test.each(rows.map((row) => [row.feature, row.cells] as const))(
  "Each pair of %s has a test that stands in its file, or a line that keeps the two apart",
  async (_, pairs) => {
    const wrong = pairs.map(async ({ feature, cell }) => ({ feature, why: await checkCell(cell) }));
    expect((await Promise.all(wrong)).filter(({ why }) => why !== undefined)).toEqual([]);
  },
);

test("Each of the 528 pairs has its cell, and 150 of them have a test", () => {
  expect(cells).toHaveLength(528);
  expect(cells.filter((cell) => cell !== undefined && "risk" in cell).length).toBeGreaterThanOrEqual(150);
});

test("docs/pairs.md has every cell; npm run pairs writes it", async () => {
  const page = await readFile("docs/pairs.md", "utf8");
  expect(page, "run: npm run pairs").toBe(writePairs(rows));
});
