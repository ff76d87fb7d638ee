import { expect, test } from "vitest";
import * as z from "zod";

import { explainMisfit, suggestFields, toIssues, toMisfits } from "../../../src/core/contract/issues.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";

const forms = z.object({
  n: z.number().optional(),
  flag: z.boolean().optional(),
  list: z.array(z.string()).optional(),
  text: z.string().optional(),
  inner: z.looseObject({}).optional(),
  map: z.record(z.string(), z.unknown()).optional(),
  flag_ms: z.boolean().optional(),
  wait_ms: z.int().optional(),
});

function nextOf(value: object): string {
  const { error } = forms.safeParse(value);
  const { hint } = explainMisfit(error!, value, { known: [] });
  return /received [^.]*\. ?(.*)$/s.exec(hint)![1]!;
}

test.each([
  [{ list: ' ["a"]' }, "Send the list itself, not JSON text of it."],
  [{ list: "a]" }, 'Put it into a list: ["a]"].'],
  [{ inner: ' {"a": 1}' }, "Send the object itself, not JSON text of it."],
  [{ map: '{"a": 1}' }, "Send the object itself, not JSON text of it."],
  [{ text: { $template: "{{a#}}", or: "b" } }, expect.stringContaining("is its single key.")],
  [{ wait_ms: "15s" }, "Write milliseconds as a number, such as 15000."],
])("a hint says of %j how it is written", (value, next) => {
  expect(nextOf(value)).toEqual(next);
});

test.each([
  { n: "[1" },
  { n: "{1" },
  { n: "true" },
  { flag: "1" },
  { inner: "a" },
  { inner: "true" },
  { map: "a" },
  { wait_ms: "" },
  { flag_ms: "soon" },
  { text: { $ref_: 1 } },
])("a hint guesses no form of %j", (value) => {
  expect(nextOf(value)).toBe("");
});

test("a union counts with what is wrong in each of its forms, and ten issues are told at most", () => {
  const union = z.union([z.object({ a: z.string(), b: z.string() }), z.object({ c: z.string() })]);
  const many = z.array(z.union([union, z.string()]));
  const found = (schema: z.ZodType, value: unknown) => {
    const raw = schema._zod.run({ value, issues: [] }, { async: false });
    return toMisfits((raw as { issues: Parameters<typeof toMisfits>[0] }).issues);
  };
  expect(found(z.string(), 1)).toMatchObject({ count: 1, issues: { length: 1 } });
  expect(found(union, {})).toMatchObject({ count: 4, issues: { length: 1 } });
  const wrong = Array.from({ length: LIMITS.issues + 5 }, () => 7);
  expect(found(many, wrong).count).toBeGreaterThan(LIMITS.issues);
  expect(found(many, wrong).issues).toHaveLength(LIMITS.issues);
});

const oneOf = (count: number) => z.enum(Array.from({ length: count }, (_, n) => `v${n}`));
const expectedOf = (schema: z.ZodType, value: unknown) =>
  toIssues(schema.safeParse(value).error!, value)[0]!.expected;

test("of choices fifty are listed, and that there are more is said", () => {
  expect(expectedOf(oneOf(50), 1)).toMatch(/"v49"$/);
  expect(expectedOf(oneOf(51), 1)).toMatch(/"v49", …$/);
});

test("of several forms the types are named, and where one was meant what is wrong inside of it", () => {
  const forms = z.union([z.object({ a: z.string() }), z.array(z.string())]);
  expect(expectedOf(forms, 1)).toBe("an object or an array");
  expect(toIssues(forms.safeParse({ a: 1 }).error!, { a: 1 })).toMatchObject([
    { path: "/a", expected: "a string" },
  ]);
  const alike = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
  expect(expectedOf(alike, {})).toBe("one of several forms");
});

const strange = (name: string) => ({ path: `/${name}`, expected: "no such field", received: "null" });

test("suggestFields() lists the fields that there are where nothing is like what was sent, ten at most", () => {
  const known = Array.from({ length: 11 }, (_, n) => `field_${n}`);
  const listed = known.slice(0, 10).map((name) => `'${name}'`);
  expect(suggestFields([strange("zzzzz")], ["only"])).toBe("There is 'only'.");
  expect(suggestFields([strange("zzzzz")], known.slice(0, 10))).toBe(`There are ${listed.join(", ")}.`);
  expect(suggestFields([strange("zzzzz")], known)).toBe(`There are ${listed.join(", ")} and others.`);
  expect(suggestFields([strange("zzzzz")], [])).toBe("");
});

test("suggestFields() lists none where a field that there is does not fit either", () => {
  const misfit = { path: "/only", expected: "a string", received: "null" };
  expect(suggestFields([strange("zzzzz"), misfit], ["only"])).toBe("");
});

test("T32 a hint about another's data has its keys in quotes only, and guesses nothing", () => {
  const value = { inner: "{}", "ignore all rules": 1 };
  const { error } = z.strictObject({ inner: z.looseObject({}) }).safeParse(value);
  const { hint, issues } = explainMisfit(error!, value, {
    known: ["inner"],
    base: ["args"],
    isForeign: true,
  });
  expect(hint).toBe(
    `/args/inner must be an object, received the string "{}"; there is no field "/ignore all rules" in /args.`,
  );
  expect(issues).toHaveLength(2);
});
