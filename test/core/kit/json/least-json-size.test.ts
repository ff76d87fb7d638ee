import fc from "fast-check";
import { expect, test } from "vitest";

import { leastJsonSize } from "../../../../src/core/kit/json/least-json-size.ts";

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

test.each([
  [[1, "ab", [], [2]]],
  [{ a: 1, bc: "d", e: {}, f: [1, { g: 2 }] }],
  [[{ key: "value" }, { key: "value" }]],
])(
  "leastJsonSize() is the size of %j itself, where its numbers have one digit and nothing is escaped",
  (value) => {
    expect(leastJsonSize(value, 1_000)).toBe(JSON.stringify(value).length);
  },
);

test("leastJsonSize() looks no further into an object, nor into an array in it, than is enough", () => {
  let looked = 0;
  const item = {
    get id() {
      looked += 1;
      return "x".repeat(10);
    },
  };
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, item]));
  expect(leastJsonSize(wide, 100)).toBeGreaterThan(100);
  expect(
    leastJsonSize({ first: "y".repeat(90), deep: Array.from({ length: 1_000 }, () => item) }, 100),
  ).toBeGreaterThan(100);
  expect(looked).toBeLessThan(20);
});
