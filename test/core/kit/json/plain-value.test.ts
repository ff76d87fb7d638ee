import * as fc from "fast-check";
import { expect, test } from "vitest";

import { plainValue } from "../../../../src/core/run/tool-log.ts";

const circle: { self?: object } = {};
circle.self = circle;

test.each<[string, unknown, unknown]>([
  ["JSON as it is", { a: [1, "b", null, true], c: {} }, { a: [1, "b", null, true], c: {} }],
  ["a large integer by its digits", 2n ** 64n, "18446744073709551616"],
  [
    "an error by its message",
    { cause: new RangeError("too far") },
    { cause: { name: "RangeError", message: "too far" } },
  ],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a date that is none", new Date(Number.NaN), null],
  ["a URL", new URL("https://a.example/b"), "https://a.example/b"],
  ["a function not at all", { a: Object.assign(() => 1, { toJSON: () => 2 }), b: 3 }, { b: 3 }],
  ["bytes by their number", [new Uint8Array(3), new ArrayBuffer(5)], ["(3 bytes)", "(5 bytes)"]],
  ["long text by its length", "x".repeat(10_000), "(text of 10000 characters)"],
  [
    "what cannot be read",
    Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    }),
    "(unreadable)",
  ],
  [
    "a long list by what is left",
    Array.from({ length: 1_000 }, () => 0),
    [...Array.from({ length: 499 }, () => 0), "(501 more)"],
  ],
])("plainValue() shows %s", (_, value, shown) => {
  expect(JSON.parse(JSON.stringify(plainValue(value)))).toEqual(shown);
});

test("plainValue() ends in a circle", () => {
  expect(JSON.stringify(plainValue(circle))).toMatch(/^(?:\{"self":){8}"\(deeper\)"\}{8}$/);
});

test("plainValue() keeps a key named __proto__ a key", () => {
  const value = JSON.parse('{"__proto__":{"a":1}}') as object;
  expect(JSON.stringify(plainValue(value))).toBe('{"__proto__":{"a":1}}');
});

test("plainValue() makes of anything what JSON can say, and shows JSON as it is", () => {
  const anything = fc.anything({
    withBigInt: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withDate: true,
    withNullPrototype: true,
  });
  fc.assert(fc.property(anything, (value) => void JSON.stringify(plainValue(value))));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const shown = JSON.stringify(plainValue(value));
      if (!/\(\d* ?more\)/.test(shown)) expect(shown).toBe(JSON.stringify(value));
    }),
  );
});

test("plainValue() says that there is more of an object than is shown, and how much of a list", () => {
  const wide = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`k${n}`, n]));
  const shown = plainValue(wide) as Record<string, unknown>;
  expect(shown["(more)"]).toBe(true);
  expect(Object.keys(shown)).toHaveLength(500);
  expect((plainValue(Array.from({ length: 600 }, (_, n) => n)) as unknown[]).at(-1)).toBe("(101 more)");
});

test("plainValue() shows own fields only, and text up to its limit", () => {
  const inherited = Object.assign(Object.create({ theirs: 1 }), { own: 2 }) as object;
  expect(plainValue(inherited)).toEqual({ own: 2 });
  const most = "x".repeat(8 * 1024);
  expect(plainValue([most, `${most}x`])).toEqual([most, "(text of 8193 characters)"]);
  expect(plainValue({ toJSON: "no function" })).toEqual({ toJSON: "no function" });
});

test("plainValue() names what is too deep in lists as well", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 12; level += 1) deep = [deep];
  expect(JSON.stringify(plainValue(deep))).toContain("(deeper)");
});
