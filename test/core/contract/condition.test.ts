import fc from "fast-check";
import { expect, test } from "vitest";

import { fitsCondition, parseCondition } from "../../../src/core/contract/condition.ts";
import { parseExact } from "../../../src/core/contract/json.ts";
import { trial } from "../../support/trial.ts";

function fits(written: unknown, value: unknown): boolean {
  const parsed = parseCondition(written);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return fitsCondition(parsed.value, value);
}

test.each<[written: object, value: unknown, fit: boolean]>([
  [{ "/amount": { gte: 100 } }, { amount: 100 }, true],
  [{ "/amount": { gte: 100 } }, { amount: 99.99 }, false],
  [{ "/amount": { gt: 100 } }, { amount: 100 }, false],
  [{ "/amount": { lt: 100 } }, { amount: 99 }, true],
  [{ "/amount": { lte: 100 } }, { amount: 101 }, false],
  [{ "/amount": { gt: 1, lt: 3 } }, { amount: 3 }, false],
  [{ "/amount": { gte: 100 } }, { amount: "100" }, false],
  [{ "/at": { gte: "2026-01-01" } }, { at: "2026-02-01" }, true],
  [{ "/kind": { eq: "a" } }, { kind: "a" }, true],
  [{ "/kind": { eq: null } }, { kind: null }, true],
  [{ "/kind": { ne: "a" } }, { kind: "b" }, true],
  [{ "/kind": { ne: "a" } }, { kind: "a" }, false],
  [{ "/kind": { in: ["a", 1] } }, { kind: 1 }, true],
  [{ "/kind": { in: ["a", 1] } }, { kind: "1" }, false],
  [{ "/to/0/name": { exists: true } }, { to: [{ name: "Ada" }] }, true],
  [{ "/to/1": { exists: false } }, { to: [1] }, true],
  [{ "/to": { exists: false } }, { to: null }, false],
  [{ "/a": { eq: 1 }, "/b": { eq: 2 } }, { a: 1, b: 2 }, true],
  [{ "/a": { eq: 1 }, "/b": { eq: 2 } }, { a: 1, b: 3 }, false],
  [{ "": { eq: 7 } }, 7, true],
  [{}, { any: "thing" }, true],
])("%j fits %j: %s", (written, value, fit) => {
  expect(fits(written, value)).toBe(fit);
});

test.each([{ eq: 1 }, { ne: 1 }, { in: [1] }, { gt: 1 }, { gte: 1 }, { lt: 1 }, { lte: 1 }])(
  "a missing value does not fit %j, nor that with 'exists: false' beside it",
  (one) => {
    expect(fits({ "/there": { exists: false } }, {})).toBe(true);
    expect(fits({ "/there": one }, {})).toBe(false);
    expect(fits({ "/there": { ...one, exists: false } }, {})).toBe(false);
  },
);

test("a number that no double is counts as the nearest one", () => {
  expect(fits({ "/n": { gt: 100 } }, parseExact('{"n": 12345678901234567890}'))).toBe(true);
  expect(fits({ "/n": { gt: 100 } }, parseExact('{"n": 1e400}'))).toBe(true);
});

test("a pointer reaches own values only", () => {
  expect(fits({ "/constructor": { exists: true } }, {})).toBe(false);
  expect(fits({ "/__proto__/toString": { exists: true } }, {})).toBe(false);
});

test.each<[written: unknown, path: string, expected: RegExp]>([
  [[], "/when", /an object/],
  [{ amount: { gte: 1 } }, "/when/amount", /a JSON pointer/],
  [{ "/a~2": { gte: 1 } }, "/when/~1a~02", /a JSON pointer/],
  [{ [`/${"a".repeat(256)}`]: { gte: 1 } }, "/when/~1aaa", /at most 256 characters/],
  [{ "/amount": {} }, "/when/~1amount", /eq, ne, in, gt, gte, lt, lte or exists/],
  [{ "/amount": { atLeast: 1 } }, "/when/~1amount/atLeast", /no such field/],
  [{ "/amount": { gte: null } }, "/when/~1amount/gte", /number or a string/],
  [{ "/amount": { eq: {} } }, "/when/~1amount/eq", /a string or a number/],
  [{ "/amount": { in: [] } }, "/when/~1amount/in", /at least 1/],
  [{ "/amount": { exists: 1 } }, "/when/~1amount/exists", /a boolean/],
  [
    Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`/${at}`, { eq: 1 }])),
    "/when",
    /at most 20 pointers/,
  ],
  [JSON.parse('{"__proto__": {"eq": 1}}'), "/when/__proto__", /a JSON pointer/],
])("%j is refused where it is wrong", (written, path, expected) => {
  const parsed = parseCondition(written, ["when"]);
  if (parsed.ok) throw new Error("It was taken");
  expect(parsed.error[0]!.path.startsWith(path)).toBe(true);
  expect(parsed.error[0]!.expected).toMatch(expected);
});

trial("whatever is written, a condition is taken or refused with issues, and asking one never throws", () => {
  const operand = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
  const written = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("/a", "/a/b", "")),
    fc.dictionary(fc.constantFrom("eq", "ne", "in", "gt", "gte", "lt", "lte", "exists", "other"), operand),
  );
  fc.assert(
    fc.property(written, fc.jsonValue(), (condition, value) => {
      const parsed = parseCondition(condition);
      if (parsed.ok) expect(typeof fitsCondition(parsed.value, value)).toBe("boolean");
      else expect(parsed.error.length).toBeGreaterThan(0);
    }),
  );
});
