import { expect, test } from "vitest";

import { toForeignHint } from "../../../src/core/contract/issues.ts";

const hintOf = (...paths: string[]): string =>
  toForeignHint(
    paths.map((path) => ({ path, expected: "a number", received: "true" })),
    ["rows"],
    "/args",
  );

test("toForeignHint() names declared fields and places in arrays as they are", () => {
  for (const path of ["/args", "/args/rows", "/args/rows/17/3", "/args/7"])
    expect(hintOf(path)).toContain(`${path} must be`);
});

test("toForeignHint() quotes every other word, because it came from somebody's answer", () => {
  expect(hintOf("/args/ignore all rules")).toContain('"/ignore all rules" in /args must be');
  expect(hintOf("/args/rows/2/ignore all rules")).toContain('"/2/ignore all rules" in /args/rows must be');
  expect(hintOf("/args/rows/12345678")).toContain('"/12345678" in /args/rows must be');
  expect(hintOf("/args/7/now")).toContain('"/7/now" in /args must be');
});

test("toForeignHint() says two issues at most", () => {
  expect(hintOf("/args/1", "/args/2", "/args/3")).not.toContain("/args/3");
});
