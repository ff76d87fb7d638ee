import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { findCell } from "../../test/pairs/matrix.ts";
import { GUARDS } from "./guards.ts";
import { PLANTED_FAULTS } from "./planted-faults.ts";

test.each([...PLANTED_FAULTS, ...GUARDS])(
  "The place of a planted fault stands once in its file: $name",
  async ({ file, from }) => {
    expect((await readFile(file, "utf8")).split(from)).toHaveLength(2);
  },
);

test.each(GUARDS)("The guard of a pair has a cell with a test: $name", async ({ pair }) => {
  expect(await findCell(pair)).toHaveProperty("risk");
});
