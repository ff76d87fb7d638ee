import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { PLANTED_FAULTS } from "./planted-faults.ts";

test.each(PLANTED_FAULTS)(
  "The place of a planted fault stands once in its file: $name",
  async ({ file, from }) => {
    expect((await readFile(file, "utf8")).split(from)).toHaveLength(2);
  },
);
