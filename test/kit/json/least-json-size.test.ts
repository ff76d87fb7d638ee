import fc from "fast-check";
import { expect, test } from "vitest";

import { leastJsonSize } from "../../../src/kit/json/least-json-size.ts";

test.each([
  ["text", "shop", 6],
  ["a number", 12_345, 1],
  ["null", null, 1],
  ["an empty array", [], 2],
  ["an empty object", {}, 2],
])("leastJsonSize() gives the size of %s, or less", (_, value, size) => {
  expect(leastJsonSize(value, 1_000)).toBe(size);
});

test("leastJsonSize() never says more than the JSON has", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
      expect(leastJsonSize(value, Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(bytes);
    }),
  );
});

test("leastJsonSize() stops looking once it is over what is enough", () => {
  let looked = 0;
  const items = Array.from({ length: 1_000 }, () => ({
    get id() {
      looked += 1;
      return "x".repeat(10);
    },
  }));
  expect(leastJsonSize(items, 100)).toBeGreaterThan(100);
  expect(looked).toBeLessThan(20);
});
