import fc from "fast-check";
import { expect, test } from "vitest";

import { toCanonicalJson } from "../../src/kit/canonical-json.ts";

test("the order of keys and the spelling of numbers and text do not matter", () => {
  const a: unknown = JSON.parse('{"b": 1.0, "a": [true, {"y": 1e2, "x": "\\u0061"}]}');
  const b: unknown = JSON.parse('{"a":[true,{"x":"a","y":100}],"b":1}');
  expect(toCanonicalJson(a)).toBe('{"a":[true,{"x":"a","y":100}],"b":1}');
  expect(toCanonicalJson(b)).toBe(toCanonicalJson(a));
});

test("the order of elements, types and keys that reach a prototype do matter", () => {
  const texts = ["[1,2]", "[2,1]", '["1",2]', "[null]", "[]", '{"__proto__":1}', '{"a":null}', "{}", '""'];
  const canonical = texts.map((text) => toCanonicalJson(JSON.parse(text)));
  expect(new Set(canonical).size).toBe(texts.length);
});

test("equal values give equal text, different values different text, and it parses to the value again", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const text = toCanonicalJson(a);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(a)));
      expect(toCanonicalJson(JSON.parse(JSON.stringify(a)))).toBe(text);
      const equal = text === toCanonicalJson(b);
      expect(equal).toBe(same(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))));
    }),
  );
});

/** Equality that shares no code with what it checks. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && same(value, right.get(key)))
  );
}
