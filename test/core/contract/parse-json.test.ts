import fc from "fast-check";
import { expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { countValues, parseJson } from "../../../src/core/contract/parse-json.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each(["{}", "[1, 2]", '"text"', "null", ' {"a": "ü😀"} ', '{"a": "}{]["}', String.raw`"\"[\\"`])(
  "parseJson() reads %s as JSON.parse does",
  (text) => {
    expect(valueOf(parseJson(bytesOf(text)))).toEqual(JSON.parse(text));
  },
);

test("parseJson() reads a body that begins with a byte order mark", () => {
  expect(valueOf(parseJson(bytesOf('\uFEFF{"a": 1}')))).toEqual({ a: 1 });
});

test("parseJson() keeps __proto__ an own key, for the checks that refuse it", () => {
  const value = valueOf(parseJson(bytesOf('{"__proto__": {"admin": true}}')));
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect((value as { admin?: unknown }).admin).toBeUndefined();
});

test.each([
  ["nothing", "", "The body is empty; send a JSON object."],
  ["only spaces", " \n ", "The body is empty; send a JSON object."],
  [
    "an object that is not closed",
    '{"a": 1',
    "The JSON goes wrong at line 1, column 8: the text ends too early",
  ],
  ["an array that ends after its comma", "[1,", "ends too early"],
  ["a string that is not closed", '{"a', "The JSON goes wrong at line 1, column 4: the text ends too early"],
  [
    "a slip on the third line",
    '{\n  "a": 1,\n  b: 2\n}',
    "The JSON goes wrong at line 3, column 3: a field's name is unquoted",
  ],
  ["a misspelt literal", '{"a": tru}', "line 1, column 7: a word without quotes"],
  ["a second comma", "[1,,2]", "line 1, column 4: there are two commas"],
  ["plain text", "hello", "line 1, column 1: a word without quotes"],
  ["a form", "tool=ping&args=1", "The body is form-encoded"],
  ["text that talks like the engine", "at position 99", "line 1, column 1: a word without quotes"],
  ["text that talks like the engine to its end", '["at position 99', "column 17"],
])("parseJson() says what is wrong with %s", (_, text, hint) => {
  const refusal = errorOf(parseJson(bytesOf(text)));
  expect(refusal).toEqual({ code: "MALFORMED_JSON", hint: expect.stringContaining(hint) });
});

test("parseJson() never repeats the body, whatever the engine says about it", () => {
  for (const text of ['{"key": hunter2}', "hunter2", '{"hunter2"}', '{"a": "hunter2']) {
    expect(errorOf(parseJson(bytesOf(text))).hint).not.toContain("hunter2");
  }
});

test.each([
  ["a stray continuation byte", [0x22, 0x80, 0x22]],
  ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
  ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ["a cut sequence", [0x22, 0xe2, 0x82]],
  ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
])("parseJson() refuses %s instead of replacing it", (_, bytes) => {
  expect(errorOf(parseJson(Uint8Array.from(bytes)))).toEqual({
    code: "MALFORMED_JSON",
    hint: "The body is not valid UTF-8.",
  });
});

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])("parseJson() reads 32 levels of %s and refuses 33", (_, open, close) => {
  const nested = (depth: number) => bytesOf(`${open.repeat(depth - 1)}[]${close.repeat(depth - 1)}`);
  expect(parseJson(nested(LIMITS.nesting)).ok).toBe(true);
  expect(errorOf(parseJson(nested(LIMITS.nesting + 1)))).toEqual({
    code: "INVALID_BATCH",
    hint: "The body nests deeper than 32 levels; flatten it.",
  });
});

test("T05 parseJson() refuses a depth bomb before it is parsed, closed or not", () => {
  expect(errorOf(parseJson(bytesOf("[".repeat(200_000)))).code).toBe("INVALID_BATCH");
});

trial(
  "parseJson() refuses exactly what nests deeper than 32, whatever brackets and quotes its strings hold",
  () => {
    const text = fc.array(fc.constantFrom("[", "{", "}", "]", '"', "\\", "a", "é"), { maxLength: 8 });
    const string = text.map((parts) => parts.join(""));
    const leaf = fc.oneof(string, fc.integer(), fc.constantFrom(null, true));
    const wrapping = fc.array(fc.option(string), { maxLength: 2 * LIMITS.nesting, size: "max" });
    const value = fc.tuple(wrapping, leaf, leaf).map(([keys, leaf, sibling]) =>
      keys.reduce<unknown>(
        // Null wraps in an array, a string in an object under that key.
        (inner, key) => (key === null ? [sibling, inner, sibling] : { [key]: inner, [`${key}2`]: sibling }),
        leaf,
      ),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1), (value, indent) => {
        const read = parseJson(bytesOf(JSON.stringify(value, null, indent)));
        if (depthOf(value) > LIMITS.nesting) expect(errorOf(read).code).toBe("INVALID_BATCH");
        else expect(valueOf(read)).toEqual(value);
      }),
      { numRuns: 300 },
    );
  },
);

trial("countValues() counts exactly, whatever the strings hold and however it is indented", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(countValues(text, Number.POSITIVE_INFINITY)).toBe(sizeOf(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

test.each([
  [String.raw`["\\","\"","[1,2]"]`, 4],
  ["[{},{},{}]", 4],
  [" [ [ ] , { } ] ", 3],
  ['{"a":{"b":[1,null]}}', 5],
  ['"unclosed', 1],
  ["", 1],
])("countValues() counts %s as %i", (text, count) => {
  expect(countValues(text, 100)).toBe(count);
});

test("countValues() stops when there are enough", () => {
  expect(countValues("[1,2,3,4,5,6]", 3)).toBe(4);
});

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("parseJson() takes as many values as there may be, and not one more", () => {
  const parse = (text: string) => parseJson(bytesOf(text), 32, { values: 4 });
  expect(parse("[1, 2, 3]").ok).toBe(true);
  expect(errorOf(parse("[1, 2, 3, 4]")).code).toBe("BODY_TOO_LARGE");
  expect(parseJson(bytesOf("[1, 2, 3, 4]"), 32).ok).toBe(true);
});

test("parseJson() lets objects and arrays beside each other be as many as they like, each only so deep", () => {
  const parse = (text: string) => parseJson(bytesOf(text), 3);
  expect(parse("[[[]],[[]],[{}],{}]").ok).toBe(true);
  expect(errorOf(parse("[[[[]]]]")).code).toBe("INVALID_BATCH");
  expect(errorOf(parse("[[],[[],[[]]]]")).code).toBe("INVALID_BATCH");
});
