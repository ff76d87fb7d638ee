import { describe, expect, test } from "vitest";

import { compileSchema } from "../../../../src/features/added-tools/json-schema/compile-schema.ts";
import { isBearable } from "../../../../src/features/added-tools/json-schema/measure-check.ts";

const list = (length: number): readonly number[] => Array.from({ length }, (_, n) => n);
const named = (length: number): object =>
  Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${n}${"a".repeat(length)}`, n]));

describe("P6: the work that is counted before arguments are checked", () => {
  const unique = compileSchema({ type: "array", uniqueItems: true });

  test.each([
    [200, true],
    [8_000, false],
  ])("has the comparisons of %i items that have to differ: bearable %j", (length, bearable) => {
    expect(isBearable(unique, list(length))).toBe(bearable);
    expect(isBearable(compileSchema({ type: "array" }), list(length))).toBe(true);
  });

  test.each([
    [10, true],
    [1_000, false],
  ])("has the search in names of %i characters: bearable %j", (length, bearable) => {
    const names = compileSchema({ type: "object", propertyNames: { pattern: "[a-z]{1,100}!" } });
    expect(isBearable(names, named(length))).toBe(bearable);
    expect(isBearable(compileSchema({ type: "object" }), named(length))).toBe(true);
  });
});
