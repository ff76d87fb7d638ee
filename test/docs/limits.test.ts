import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { LIMITS } from "../../src/contract/limits.ts";

test("docs/limits.md lists every limit with its value", async () => {
  const page = await readFile(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` \| ([\d,]+)/gm)].map(
    ([, name, value]) => [name!, Number(value!.replaceAll(",", ""))] as const,
  );

  expect(Object.fromEntries(listed)).toEqual(LIMITS);
  expect(listed).toHaveLength(Object.keys(LIMITS).length);
});
