import * as z from "zod";
import { expect, test } from "vitest";

import {
  describe as describeValue,
  explainMisfit,
  suggestFields,
  toHint,
  toIssues,
} from "../../../src/core/contract/issues.ts";

function issuesOf(schema: z.ZodType, input: unknown, base: readonly PropertyKey[] = []) {
  const parsed = schema.safeParse(input);
  if (parsed.success) throw new Error("Cannot list issues: the input was accepted");
  return toIssues(parsed.error, input, { base });
}

test.each([
  [undefined, "nothing"],
  [null, "null"],
  [[1, 2], "an array of 2"],
  [{ a: 1 }, "an object"],
  ["hi", 'the string "hi"'],
  ["x".repeat(41), `the string "${"x".repeat(40)}…"`],
  ["a\u202Eb\0", String.raw`the string "a\u202eb\u0000"`],
  [1.5, "the number 1.5"],
  [false, "the boolean false"],
])("describe(%j) is %s", (value, words) => {
  expect(describeValue(value)).toBe(words);
});

test.each<[string, z.ZodType, unknown, string, string]>([
  ["a missing field", z.object({ a: z.string() }), {}, "a string", "nothing"],
  ["a wrong type", z.object({ a: z.array(z.string()) }), { a: {} }, "an array", "an object"],
  ["a fraction", z.object({ a: z.int() }), { a: 1.5 }, "an integer", "the number 1.5"],
  ["a record", z.object({ a: z.record(z.string(), z.string()) }), { a: 1 }, "an object", "the number 1"],
  ["a choice", z.object({ a: z.enum(["x", "y"]) }), { a: "z" }, 'one of "x", "y"', 'the string "z"'],
  ["a small number", z.object({ a: z.number().min(2) }), { a: 1 }, "a number at least 2", "the number 1"],
  ["a bound", z.object({ a: z.number().gt(1) }), { a: 1 }, "a number more than 1", "the number 1"],
  ["a big number", z.object({ a: z.number().lt(1) }), { a: 1 }, "a number less than 1", "the number 1"],
  [
    "a long text",
    z.object({ a: z.string().max(1) }),
    { a: "ab" },
    "at most 1 character long",
    'the string "ab"',
  ],
  [
    "an exact length",
    z.object({ a: z.string().length(1) }),
    { a: "" },
    "exactly 1 character long",
    'the string ""',
  ],
  [
    "a short list",
    z.object({ a: z.array(z.null()).min(1) }),
    { a: [] },
    "at least 1 item long",
    "an array of 0",
  ],
  [
    "a pattern",
    z.object({ a: z.string().regex(/^x$/) }),
    { a: "y" },
    "text matching /^x$/",
    'the string "y"',
  ],
  [
    "a pattern in its author's words",
    z.object({ a: z.string().regex(/^x$/, "an x") }),
    { a: "y" },
    "an x",
    'the string "y"',
  ],
  ["an email", z.object({ a: z.email() }), { a: "y" }, "an email address", 'the string "y"'],
  ["a step", z.object({ a: z.number().multipleOf(5) }), { a: 3 }, "a multiple of 5", "the number 3"],
  [
    "an author's rule",
    z.object({ a: z.string().refine(() => false, "no") }),
    { a: "" },
    "no",
    'the string ""',
  ],
  [
    "a choice of types",
    z.object({ a: z.union([z.string().min(1), z.number()]) }),
    { a: null },
    "a string or a number",
    "null",
  ],
  [
    "a choice of types within one",
    z.object({ a: z.union([z.union([z.string(), z.number()]), z.array(z.string())]) }),
    { a: true },
    "a string or a number or an array",
    "the boolean true",
  ],
  [
    "the type of a choice that was meant",
    z.object({ a: z.union([z.string().min(2), z.number()]) }),
    { a: "x" },
    "at least 2 characters long",
    'the string "x"',
  ],
  ["an unknown field", z.strictObject({}), { a: 1 }, "no such field", "the number 1"],
])("toIssues() explains %s", (_, schema, input, expected, received) => {
  expect(issuesOf(schema, input)).toEqual([{ path: "/a", expected, received }]);
});

test("toIssues() points into nested values, below the base it is given", () => {
  const schema = z.object({ list: z.array(z.object({ "a/b": z.number() })) });
  const [issue] = issuesOf(schema, { list: [{ "a/b": 1 }, { "a/b": "x" }] }, ["args"]);
  expect(issue).toEqual({ path: "/args/list/1/a~1b", expected: "a number", received: 'the string "x"' });
});

test("toIssues() points into the choice that was meant", () => {
  const schema = z.object({ a: z.union([z.string(), z.object({ b: z.number(), c: z.number() })]) });
  expect(issuesOf(schema, { a: { b: "x", c: 1 } }, ["args"])).toEqual([
    { path: "/args/a/b", expected: "a number", received: 'the string "x"' },
  ]);
});

test("toIssues() names no type when several choices could have been meant", () => {
  const either = z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]);
  expect(issuesOf(either, {})).toEqual([
    { path: "", expected: "one of several forms", received: "an object" },
  ]);
});

test("toIssues() looks only at own fields for what was received", () => {
  const [issue] = issuesOf(z.object({ toString: z.number() }), {});
  expect(issue).toEqual({ path: "/toString", expected: "a number", received: "nothing" });
});

test("toIssues() lists ten at most", () => {
  const input = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, 0]));
  expect(issuesOf(z.strictObject({}), input)).toHaveLength(10);
});

test("toIssues() shows a hostile field name escaped and cut", () => {
  const input = { "a\u202E\0\u200B": 1, ["x".repeat(10_000)]: 2 };
  const [hidden, long] = issuesOf(z.strictObject({}), input);
  expect(hidden?.path).toBe("/a\\u{202e}\\u{0}\\u{200b}");
  expect(long?.path.length).toBeLessThan(300);
});

test("toHint() says all issues in one sentence, a field that does not exist without its value", () => {
  expect(
    toHint([
      { path: "/a", expected: "a string", received: "null" },
      { path: "/b", expected: "no such field", received: "null" },
      { path: "", expected: "an object", received: "an array of 0" },
    ]),
  ).toBe(
    "/a must be a string, received null; there is no field /b; the value must be an object, received an array of 0.",
  );
});

test("suggestFields() names the field that an unknown one may have meant", () => {
  const issues = issuesOf(z.strictObject({}), { qeury: 1, limt: 2, zzzzz: 3 });
  expect(suggestFields(issues, ["query", "limit"])).toBe(
    "Did you mean 'query' instead of 'qeury'? Did you mean 'limit' instead of 'limt'?",
  );
});

test("suggestFields() has nothing to say about fields that exist", () => {
  const issues = issuesOf(z.object({ query: z.string() }), { query: 1 });
  expect(suggestFields(issues, ["query"])).toBe("");
});

test("suggestFields() offers a field only where it would belong", () => {
  const schema = z.strictObject({ filter: z.strictObject({}) });
  const issues = issuesOf(schema, { filter: { qeury: 1 } }, ["args"]);
  expect(suggestFields(issues, ["query", "filter"], "/args")).toBe("");
});

test("explainMisfit() says every issue, and what a field that does not exist may have been meant for", () => {
  const parsed = z.strictObject({ city: z.string() }).safeParse({ citi: "Phoenix" });
  expect(explainMisfit(parsed.error!, { citi: "Phoenix" }, { known: ["city"], base: ["args"] })).toEqual({
    issues: [
      { path: "/args/city", expected: "a string", received: "nothing" },
      { path: "/args/citi", expected: "no such field", received: 'the string "Phoenix"' },
    ],
    hint: "/args/city must be a string, received nothing; there is no field /args/citi. Did you mean 'city' instead of 'citi'?",
  });
});

const forms = z.strictObject({
  n: z.number().optional(),
  flag: z.boolean().optional(),
  list: z.array(z.string()).optional(),
  text: z.string().optional(),
  inner: z.looseObject({}).optional(),
  wait_ms: z.int().optional(),
});

test.each([
  [{ n: "12.5" }, "Write it without quotes: 12.5."],
  [{ n: "-3" }, "Write it without quotes: -3."],
  [{ flag: "True" }, "Write it without quotes: true."],
  [{ list: "a" }, 'Put it into a list: ["a"].'],
  [{ list: '["a"]' }, "Send the list itself, not JSON text of it."],
  [{ inner: '{"a": 1}' }, "Send the object itself, not JSON text of it."],
  [{ wait_ms: "15s" }, "Write milliseconds as a number, such as 15000."],
  [{ wait_ms: "15" }, "Write it without quotes: 15."],
  [{ text: { $ref: "a#", or: "b" } }, "only where $ref or $template is its single key."],
  [{ text: { $ref: "a#" } }, "References are not read here."],
  [{ colour: 1 }, "There are 'n', 'flag', 'list', 'text', 'inner', 'wait_ms'."],
])("explainMisfit() says of %j how it is written", (value, next) => {
  const { hint } = explainMisfit(forms.safeParse(value).error!, value, { known: Object.keys(forms.shape) });
  expect(hint.endsWith(next)).toBe(true);
});

const markers = z.looseObject({
  text: z.string().optional(),
  list: z.array(z.looseObject({ name: z.string() })).optional(),
  inner: z.strictObject({ $filter: z.string() }).optional(),
});

test.each([
  [{ text: { $rf: "found#/id" } }, "'$ref' instead of '$rf'"],
  [{ text: { $Refs: "found#/id" } }, "'$ref' instead of '$Refs'"],
  [{ text: { $templat: "{{found#/id}}" } }, "'$template' instead of '$templat'"],
  [{ list: [{ $litteral: {} }] }, "'$literal' instead of '$litteral'"],
  [{ inner: { $reference: "found#" } }, "'$ref' instead of '$reference'"],
])("explainMisfit() says of %j which marker was meant, where arguments may have one", (value, meant) => {
  const { error } = markers.safeParse(value);
  const hint = (base: string[]) => explainMisfit(error!, value, { known: [], base }).hint;
  expect(hint(["args"])).toContain(` Did you mean ${meant}?`);
  expect(hint([])).not.toContain("$ref' instead");
});

test.each([
  { text: { rf: "found#" } },
  { text: { $rf: "found#", or: 1 } },
  { text: { $where: "found#" } },
  { text: { $: "found#" } },
  { inner: { $filter: 1 } },
])("explainMisfit() takes no key of %j for a marker", (value) => {
  const { hint } = explainMisfit(markers.safeParse(value).error!, value, { known: [], base: ["args"] });
  expect(hint).not.toContain("mean");
});

test.each([{ n: "twelve" }, { n: "1e400" }, { flag: "yes" }, { n: null }, { list: {} }])(
  "explainMisfit() says of %j only what is wrong",
  (value) => {
    const { hint } = explainMisfit(forms.safeParse(value).error!, value, { known: Object.keys(forms.shape) });
    expect(hint).toMatch(/^\/\w+ must be an? \w+, received [^.]*\.$/);
  },
);
