import { expect, test } from "vitest";

import { isSlip, toSwaps } from "../../../../src/features/discovery/search/vocabulary.ts";

test.each([
  ["weather", "wether", true],
  ["weather", "weatherr", true],
  ["weather", "weathor", true],
  ["weather", "weathe", true],
  ["weather", "weather", false],
  ["weather", "weter", false],
  ["weather", "wxather", true],
  ["weather", "wxxther", false],
  ["", "a", true],
])("isSlip(%s, %s) is %s, either way", (a, b, expected) => {
  expect([isSlip(a, b), isSlip(b, a)]).toEqual([expected, expected]);
});

test("toSwaps() swaps each two neighbours", () => {
  expect(toSwaps("mail")).toEqual(["amil", "mial", "mali"]);
});
