import fc from "fast-check";
import { expect, test } from "vitest";

import { follow, parsePointer, toPointer } from "../../../../src/core/kit/json/json-pointer.ts";

test.each([
  [[], ""],
  [["args"], "/args"],
  [["actions", 3, "id"], "/actions/3/id"],
  [[""], "/"],
  [["a/b"], "/a~1b"],
  [["m~n"], "/m~0n"],
  [["~1"], "/~01"],
  [[" "], "/ "],
])("toPointer(%j) is '%s', as RFC 6901 writes it", (path, pointer) => {
  expect(toPointer(path)).toBe(pointer);
});

test.each<[string, string[]]>([
  ["", []],
  ["/", [""]],
  ["/args", ["args"]],
  ["/places/0/id", ["places", "0", "id"]],
  ["/a~1b/m~0n", ["a/b", "m~n"]],
  ["/~01", ["~1"]],
  ["/~10", ["/0"]],
  ["//", ["", ""]],
  ["/100%/%2F", ["100%", "%2F"]],
  ["/größe/価格", ["größe", "価格"]],
  ["/a b\n", ["a b\n"]],
])("parsePointer('%s') gives %j", (text, tokens) => {
  expect(parsePointer(text)).toEqual(tokens);
});

test.each(["a", "args/0", "#/a", " /a", "/~", "/a~", "/~2", "/a/~x/b", "~0"])(
  "parsePointer('%s') is no pointer",
  (text) => {
    expect(parsePointer(text)).toBeNull();
  },
);

test("parsePointer() reads what toPointer() writes", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("~", "/", "~1", "0", ""))), (path) => {
      expect(parsePointer(toPointer(path))).toEqual(path);
    }),
  );
});

const DATA = {
  places: [{ id: "p1" }, { id: "p2" }],
  "": { "": "empty" },
  "a/b": 1,
  "m~n": 2,
  "100%": 3,
  größe: 4,
  nothing: null,
  count: 5,
  name: "shop",
  "0": "zero",
};

test.each<[string, unknown]>([
  ["", DATA],
  ["/places/0/id", "p1"],
  ["/places/1", { id: "p2" }],
  ["/", { "": "empty" }],
  ["//", "empty"],
  ["/a~1b", 1],
  ["/m~0n", 2],
  ["/100%", 3],
  ["/größe", 4],
  ["/nothing", null],
  ["/0", "zero"],
])("follow() finds what '%s' points to", (pointer, value) => {
  expect(follow(DATA, parsePointer(pointer)!)).toEqual({ found: true, value });
});

test.each<[string, string, number, unknown]>([
  ["a key that is missing", "/place", 0, DATA],
  ["an element after the last", "/places/2", 1, DATA.places],
  ["the `-` that RFC 6901 keeps for appending", "/places/-", 1, DATA.places],
  ["an index with a leading zero", "/places/01", 1, DATA.places],
  ["a negative index", "/places/-1", 1, DATA.places],
  ["an index in another notation", "/places/1e0", 1, DATA.places],
  ["the length of an array", "/places/length", 1, DATA.places],
  ["a key of a number", "/count/toFixed", 1, 5],
  ["a character of a text", "/name/0", 1, "shop"],
  ["a key of null", "/nothing/x", 1, null],
  ["what an object inherits", "/toString", 0, DATA],
  ["a prototype", "/__proto__", 0, DATA],
  ["a constructor", "/places/constructor/prototype", 1, DATA.places],
])("follow() stops before %s and says where", (_, pointer, depth, at) => {
  expect(follow(DATA, parsePointer(pointer)!)).toEqual({ found: false, depth, at });
});

test("follow() does not find a field that is undefined: JSON does not have it either", () => {
  expect(follow({ a: undefined }, ["a"])).toMatchObject({ found: false, depth: 0 });
});

test("follow() finds an own key of an inherited name", () => {
  expect(follow(JSON.parse('{"__proto__": {"toString": 1}}'), ["__proto__", "toString"])).toEqual({
    found: true,
    value: 1,
  });
});
