import fc from "fast-check";
import { expect, test } from "vitest";

import { canonicalJson } from "../../../../src/core/kit/json/canonical-json.ts";
import { trial } from "../../../support/trial.ts";

test("canonicalJson() writes the same text for the same value, however its keys are ordered", () => {
  expect(canonicalJson({ b: 1, a: [{ d: 2, c: null }] })).toBe('{"a":[{"c":null,"d":2}],"b":1}');
  expect(canonicalJson({ a: [{ c: null, d: 2 }], b: 1 })).toBe('{"a":[{"c":null,"d":2}],"b":1}');
});

test("canonicalJson() keeps a key that could reach a prototype a key", () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
});

trial("canonicalJson() tells different values apart, and reads back as what was written", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))] as unknown[];
      expect(JSON.parse(canonicalJson(a))).toEqual(a);
      let same = true;
      try {
        expect(a).toEqual(b);
      } catch {
        same = false;
      }
      expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
    }),
  );
});
