import fc from "fast-check";
import { expect, test } from "vitest";

import { checkValue, dropReservedKeys } from "../../../src/core/contract/check-value.ts";
import { errorOf } from "../../support/unwrap.ts";

test.each([
  "null",
  "true",
  '"__proto__"',
  "0",
  "-0.5",
  "1e-400",
  "9007199254740991",
  "-9007199254740991",
  "[[], {}]",
  '{"proto": {"construct": 1}}',
  String.raw`{"a": "\ud83d\ude00"}`,
])("checkValue() lets %s pass", (text) => {
  expect(checkValue(JSON.parse(text), [])).toEqual({ ok: true, value: undefined });
});

test.each([
  ['{"__proto__": {"admin": true}}', "/args/__proto__", "a reserved key"],
  ['{"constructor": null}', "/args/constructor", "a reserved key"],
  ['{"prototype": []}', "/args/prototype", "a reserved key"],
  ['{"a": [0, {"constructor": {"prototype": 1}}]}', "/args/a/1/constructor", "a reserved key"],
  ['{"n": 1e400}', "/args/n", "a number out of range"],
  ['{"n": [-1e400]}', "/args/n/0", "a number out of range"],
  ['{"id": 9007199254740993}', "/args/id", "an integer that cannot be kept exactly"],
  ['{"id": -9007199254740993}', "/args/id", "an integer that cannot be kept exactly"],
  ['{"id": 9007199254740993.0}', "/args/id", "an integer that cannot be kept exactly"],
  ['{"id": 1e300}', "/args/id", "an integer that cannot be kept exactly"],
  [String.raw`{"a": ["x\ud800"]}`, "/args/a/0", "a string with half of a character (a lone surrogate)"],
  [String.raw`{"a": "\udc00x"}`, "/args/a", "a string with half of a character (a lone surrogate)"],
  [String.raw`{"\ud800": 1}`, "/args/\\u{d800}", "a key with half of a character (a lone surrogate)"],
])("checkValue() refuses %s and says where", (text, path, received) => {
  const issue = errorOf(checkValue(JSON.parse(text), ["args"]));
  expect(issue).toEqual({ path, expected: expect.any(String), received });
});

test("checkValue() points at a field without repeating what is invisible in its name", () => {
  const issue = errorOf(checkValue(JSON.parse(String.raw`{"\u202E\u0000": {"__proto__": 1}}`), ["args"]));
  expect(issue.path).toBe("/args/\\u{202e}\\u{0}/__proto__");
});

test("T06 T08 checkValue() refuses exactly what holds a reserved key, an infinite number or an inexact integer", () => {
  const keys = fc.constantFrom("a", "b", "0", "__proto__", "constructor", "prototype", "toString");
  const numbers = fc.constantFrom(0, -1, 0.5, 1e21, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), Infinity, -Infinity);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      { arbitrary: fc.constantFrom<unknown>(null, true, "", "constructor"), weight: 4 },
      { arbitrary: numbers, weight: 1 },
      { arbitrary: fc.array(tie("value"), { maxLength: 3 }), weight: 3 },
      // `fromEntries` defines own properties, `__proto__` included, as `JSON.parse` does.
      {
        arbitrary: fc.array(fc.tuple(keys, tie("value")), { maxLength: 3 }).map(Object.fromEntries),
        weight: 3,
      },
    ),
  }));
  fc.assert(
    fc.property(value, (value) => {
      expect(checkValue(value, []).ok).toBe(isHarmless(value));
    }),
    { numRuns: 500 },
  );
});

function isHarmless(value: unknown): boolean {
  if (typeof value === "number")
    return Number.isFinite(value) && (Number.isSafeInteger(value) || value % 1 !== 0);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([key, inner]) => !/^(__proto__|constructor|prototype)$/.test(key) && isHarmless(inner),
  );
}

test.each([
  ['{"__proto__":1}', "{}"],
  ['{"a":{"constructor":{},"b":1}}', '{"a":{"b":1}}'],
  ['[1,[{"prototype":null}]]', "[1,[{}]]"],
  ['{"a":[{"b":1},{"__proto__":{"c":1},"d":2}]}', '{"a":[{"b":1},{"d":2}]}'],
  ['{"a":{"proto":["__proto__"]}}', '{"a":{"proto":["__proto__"]}}'],
  ['["constructor"]', '["constructor"]'],
  ["7", "7"],
])("dropReservedKeys() takes keys that reach a prototype out of %s, and no other", (json, left) => {
  const value: unknown = JSON.parse(json);
  dropReservedKeys(value);
  expect(JSON.stringify(value)).toBe(left);
});
