import fc from "fast-check";
import { expect, test } from "vitest";

import { canonicalKey } from "../../../../src/core/kit/json/canonical-json.ts";
import { trial } from "../../../support/trial.ts";

test("canonicalKey() does not see the order of keys, at any depth", () => {
  const one = canonicalKey({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } });
  expect(canonicalKey({ b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(one);
  expect(canonicalKey({ b: { f: null, c: [{ e: 3, d: 2 }, 1] }, a: 1 })).not.toBe(one);
});

trial("canonicalKey() is the same for equal JSON and different for different JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(canonicalKey(structuredClone(a))).toBe(canonicalKey(a));
      const parsed: unknown = JSON.parse(canonicalKey(a)!);
      expect(parsed).toEqual(a);
      if (canonicalKey(a) === canonicalKey(b)) expect(a).toEqual(b);
    }),
  );
});

test.each([[undefined], [{ a: undefined }], [Number.NaN], [1n], [new Date(0)], [[new Map()]], [() => {}]])(
  "canonicalKey() has no key for %o, which JSON cannot tell from others",
  (value) => {
    expect(canonicalKey(value)).toBeNull();
  },
);
