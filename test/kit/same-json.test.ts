import fc from "fast-check";
import { expect, test } from "vitest";

import { isSameJson } from "../../src/kit/same-json.ts";

test.each([
  [1, 1],
  [null, null],
  ["a", "a"],
  [
    { a: 1, b: [2, { c: 3 }] },
    { b: [2, { c: 3 }], a: 1 },
  ],
])("isSameJson() finds %j and %j the same", (a, b) => {
  expect(isSameJson(a, b)).toBe(true);
});

test.each([
  [1, "1"],
  [0, null],
  [[], {}],
  [[1], [1, 2]],
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: 1, b: 1 }],
  [{ a: undefined }, { b: undefined }],
  [{ toString: 1 }, {}],
])("isSameJson() tells %j from %j", (a, b) => {
  expect(isSameJson(a, b)).toBe(false);
  expect(isSameJson(b, a)).toBe(false);
});

test("isSameJson() finds any value the same as what its JSON text says", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
      expect(isSameJson(value, JSON.parse(JSON.stringify(value)))).toBe(true);
    }),
  );
});
