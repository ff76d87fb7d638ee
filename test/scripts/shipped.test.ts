import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { writeShipped } from "../../scripts/features/write-shipped.ts";
import type { WholeDeclaration } from "../../src/cloudflare/declared.ts";
import * as SHIPPED from "../../src/shipped.ts";
import { ALL_FEATURES } from "../support/all-features.ts";

test("src/shipped.ts says what the features declare; npm run shipped brings it up to date", async () => {
  expect(await readFile("src/shipped.ts", "utf8")).toBe(
    await writeShipped(ALL_FEATURES as readonly WholeDeclaration[], SHIPPED),
  );
});
