import * as z from "zod";
import { describe, expect, test } from "vitest";

import { findCertain } from "../../../src/core/catalog/find-certain.ts";
import { Pending } from "../../../src/core/contract/pending.ts";

const P = Pending.value;
const T = Pending.text(null);
const text = z.string();
const number = z.number();
const object = z.strictObject({ n: number });

/** Each issue as its code and its way. */
const certain = (schema: z.core.$ZodType, value: unknown): readonly string[] =>
  findCertain(schema, value).map(({ code, path = [] }) => [code, ...path].join(" "));

const WRAPPED: Readonly<Record<string, (inner: z.ZodType) => z.ZodType>> = {
  "an optional field": (inner) => inner.optional(),
  "a nullable one": (inner) => inner.nullable(),
  "one that has to be there": (inner) => z.nonoptional(inner.optional()),
  "one with a default": (inner) => inner.default(undefined),
  "one that is filled in before": (inner) => inner.prefault(undefined),
  "one that is only read": (inner) => inner.readonly(),
  "one that is made later": (inner) => z.lazy(() => inner),
  "one that is piped on": (inner) => inner.pipe(z.unknown()),
  "one of a union": (inner) => z.union([inner]),
  "one half of two": (inner) => z.intersection(inner, z.unknown()),
};

test.each(Object.keys(WRAPPED))("what is certain of a schema is certain of %s", (name) => {
  const wrap = WRAPPED[name]!;
  expect(certain(wrap(number), T)).toEqual(["invalid_type"]);
  expect(certain(wrap(text), T)).toEqual([]);
  expect(certain(wrap(z.array(text)), [P, 5])).toEqual(["invalid_type 1"]);
  expect(certain(wrap(z.array(text)), [P, "a"])).toEqual([]);
  expect(certain(wrap(number), P)).toEqual([]);
});

test.each<[string, z.ZodType]>([
  ["anything", z.any()],
  ["what is not known", z.unknown()],
  ["what its author checks", z.custom(() => false)],
  ["a transformation", z.transform(() => null)],
  ["what is caught", number.catch(1)],
  ["success or not", z.success(number)],
  ["a promise", z.promise(number)],
])("nothing is certain of a value with something pending where the schema takes %s", (_, schema) => {
  for (const value of [P, T, [P], { a: P }]) expect(certain(schema, value)).toEqual([]);
});

describe("a value that is pending", () => {
  test.each<[string, z.ZodType, readonly string[]]>([
    ["text", text, []],
    ["text of a pattern", z.string().regex(/^x$/), []],
    ["text of a template", z.templateLiteral(["a", number]), []],
    ["one of some words", z.enum(["a", "b"]), []],
    ["one of some numbers", z.enum({ one: 1, two: 2 }), ["invalid_value"]],
    ["a literal that is a word", z.literal(["a", 1]), []],
    ["a literal that is none", z.literal([1, true]), ["invalid_value"]],
    ["a number", number, ["invalid_type"]],
    ["a number that is made of text", z.coerce.number(), []],
    ["a time that is made of text", z.coerce.date(), []],
    ["a flag", z.boolean(), ["invalid_type"]],
    ["a list", z.array(text), ["invalid_type"]],
    ["an object", object, ["invalid_type"]],
    ["a record", z.record(text, number), ["invalid_type"]],
    ["null", z.null(), ["invalid_type"]],
    ["nothing at all", z.never(), ["invalid_type"]],
  ])("and is text, where %s is wanted", (_, schema, issues) => {
    expect(certain(schema, T)).toEqual(issues);
  });

  test("and may be anything is wrong only where nothing is right", () => {
    for (const schema of [text, number, object, z.null(), z.array(text)])
      expect(certain(schema, P)).toEqual([]);
    expect(certain(z.never(), P)).toEqual(["invalid_type"]);
  });
});

describe("a list with something pending", () => {
  test("is held to its length, and each element to what it has to be", () => {
    const list = z.array(number).min(2).max(3);
    expect(certain(list, [P])).toEqual(["too_small"]);
    expect(certain(list, [P, 1, 2, 3])).toEqual(["too_big"]);
    expect(certain(z.array(number).length(2), [P])).toEqual(["too_small"]);
    expect(certain(list, [P, "a", T])).toEqual(["invalid_type 1", "invalid_type 2"]);
    expect(certain(list, [P, 1])).toEqual([]);
  });

  test("is held to no rule of its author, and to no length that a rule may change", () => {
    expect(
      certain(
        z.array(number).refine(() => false),
        [P],
      ),
    ).toEqual([]);
    expect(
      certain(
        z
          .array(number)
          .overwrite((all) => [...all, 1])
          .min(2),
        [P],
      ),
    ).toEqual([]);
    expect(
      certain(
        z
          .array(number)
          .min(2)
          .overwrite((all) => [...all, 1]),
        [P],
      ),
    ).toEqual([]);
  });

  test("is no object, no text and no number", () => {
    expect(certain(object, [P])).toEqual(["invalid_type"]);
    expect(certain(text, [P])).toEqual(["invalid_type"]);
    expect(certain(z.coerce.string(), [P])).toEqual([]);
    expect(certain(z.map(text, text), [P])).toEqual(["invalid_type"]);
  });

  test("as a tuple has its elements by their places", () => {
    const pair = z.tuple([text, number]);
    expect(certain(pair, [P, 1])).toEqual([]);
    expect(certain(pair, [P, "b"])).toEqual(["invalid_type 1"]);
    expect(certain(pair, [1, P])).toEqual(["invalid_type 0"]);
    expect(certain(pair, [P])).toEqual(["too_small"]);
    expect(certain(pair, [P, 1, 2])).toEqual(["too_big"]);
    expect(findCertain(pair, [P])).toMatchObject([{ minimum: 2, inclusive: true, origin: "array" }]);
    expect(findCertain(pair, [P, 1, 2])).toMatchObject([{ maximum: 2, inclusive: true, origin: "array" }]);
  });

  test("as a tuple may lack what is optional, and have more where there is a rest", () => {
    const optional = z.tuple([text, number.optional()]);
    expect(certain(optional, [P])).toEqual([]);
    expect(certain(optional, [P, "b"])).toEqual(["invalid_type 1"]);
    expect(certain(z.tuple([number.optional(), text]), [P])).toEqual(["too_small"]);
    const open = z.tuple([text], number);
    expect(certain(open, [P, 1, 2])).toEqual([]);
    expect(certain(open, ["a", P, "b"])).toEqual(["invalid_type 2"]);
    expect(certain(open, [P])).toEqual([]);
  });
});

describe("an object with something pending", () => {
  test("is held to its fields, each by its name", () => {
    const schema = z.strictObject({ a: text, b: number, c: object.optional() });
    expect(certain(schema, { a: P, b: 1 })).toEqual([]);
    expect(certain(schema, { a: P, b: "1" })).toEqual(["invalid_type b"]);
    expect(certain(schema, { a: P })).toEqual(["invalid_type b"]);
    expect(certain(schema, { a: P, b: 1, c: { n: "x" } })).toEqual(["invalid_type c n"]);
    expect(certain(schema, { a: 1, b: 1, c: { n: P, m: 1 } })).toEqual([
      "invalid_type a",
      "unrecognized_keys c",
    ]);
    expect(certain(schema, { a: P, b: 1, d: 1, e: P })).toEqual(["unrecognized_keys"]);
    expect(findCertain(schema, { a: P, b: 1, d: 1, e: P })).toMatchObject([{ keys: ["d", "e"] }]);
  });

  test("may have other fields where its schema lets it, of the kind that this says", () => {
    expect(certain(z.object({ a: text }), { a: P, b: 1 })).toEqual([]);
    expect(certain(z.looseObject({ a: text }), { a: P, b: 1 })).toEqual([]);
    const others = z.object({ a: text }).catchall(number);
    expect(certain(others, { a: P, b: 1 })).toEqual([]);
    expect(certain(others, { a: P, b: "1", c: T })).toEqual(["invalid_type b", "invalid_type c"]);
  });

  test("has no field that its prototype has", () => {
    expect(certain(z.strictObject({ a: text, toString: text }), { a: P })).toEqual(["invalid_type toString"]);
    expect(certain(z.strictObject({ a: text }), { a: P, constructor: 1 })).toEqual(["unrecognized_keys"]);
  });

  test.each<[string, z.ZodType, readonly string[]]>([
    ["an optional one", text.optional(), []],
    ["one with a default", text.default("x"), []],
    ["one that is filled in before", text.prefault("x"), []],
    ["one that is nothing", z.union([text, z.undefined()]), ["invalid_type f"]],
    ["a required one", text, ["invalid_type f"]],
    ["one that may be null", text.nullable(), ["invalid_type f"]],
    ["one that is caught", text.catch("x"), []],
    ["one of any kind", z.any(), ["invalid_type f"]],
    ["one whose rule wants it all the same", text.optional().refine((f) => f !== undefined), []],
    ["one that goes on to what wants it", text.optional().pipe(text), ["invalid_type f"]],
  ])("lacks a field that is %s", (_, field, issues) => {
    const schema = z.strictObject({ p: text, f: field });
    expect(certain(schema, { p: P })).toEqual(issues);
    expect(certain(schema, { p: "known" })).toEqual(issues);
  });

  test.each<[string, z.ZodType, readonly string[]]>([
    ["an optional one", text.optional(), []],
    ["one with a default", text.default("x"), []],
    ["a required one", text, ["invalid_type f"]],
    ["one that may be null", text.nullable(), []],
    ["one that may be nothing or null", text.nullish(), []],
    ["one of any kind", z.any(), []],
    ["one that has to be a number", number, ["invalid_type f"]],
  ])("has null in a field that is %s", (_, field, issues) => {
    expect(certain(z.strictObject({ p: text, f: field }), { p: P, f: null })).toEqual(issues);
  });

  test("says of a field that may be anything that it has to be there", () => {
    expect(findCertain(z.strictObject({ p: text, f: z.any() }), { p: P })).toMatchObject([
      { code: "invalid_type", expected: "nonoptional", path: ["f"] },
    ]);
  });

  test("says of a required field that is null what came", () => {
    expect(findCertain(z.strictObject({ p: text, f: number }), { p: P, f: null })).toMatchObject([
      { expected: "number", input: null },
    ]);
    expect(findCertain(z.strictObject({ p: text, f: number }), { p: P })).toMatchObject([
      { expected: "number", input: undefined },
    ]);
  });

  test("as a record has values of one kind, and takes a null for a field that is not there", () => {
    const record = z.record(text, number);
    expect(certain(record, { a: P, b: 1, c: null })).toEqual([]);
    expect(certain(record, { a: P, b: "1", c: T })).toEqual(["invalid_type b", "invalid_type c"]);
  });

  test("is no list, no text and no number", () => {
    expect(certain(z.array(text), { a: P })).toEqual(["invalid_type"]);
    expect(certain(z.tuple([text]), { a: P })).toEqual(["invalid_type"]);
    expect(certain(number, { a: P })).toEqual(["invalid_type"]);
  });
});

describe("several forms", () => {
  const forms = z.union([z.strictObject({ x: number }), z.strictObject({ y: text })]);

  test("are wrong only where each of them is, and then each says why", () => {
    expect(certain(forms, { x: P })).toEqual([]);
    expect(certain(forms, { y: P })).toEqual([]);
    const value = { z: P };
    expect(findCertain(forms, value)).toMatchObject([
      {
        code: "invalid_union",
        path: [],
        input: value,
        errors: [
          [
            { code: "invalid_type", path: ["x"] },
            { code: "unrecognized_keys", keys: ["z"] },
          ],
          [
            { code: "invalid_type", path: ["y"] },
            { code: "unrecognized_keys", keys: ["z"] },
          ],
        ],
      },
    ]);
  });

  test("are one where a field says which", () => {
    const either = z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("a"), n: number }),
      z.strictObject({ kind: z.literal(["b", "c"]), s: text }),
    ]);
    expect(certain(either, { kind: "a", n: P })).toEqual([]);
    expect(certain(either, { kind: "a", s: P })).toEqual(["invalid_type n", "unrecognized_keys"]);
    expect(certain(either, { kind: "c", n: P })).toEqual(["invalid_type s", "unrecognized_keys"]);
    expect(certain(either, { kind: P, n: 1 })).toEqual([]);
    expect(certain(either, { kind: P, s: 1 })).toEqual(["invalid_union"]);
    expect(findCertain(either, { kind: "d", n: P })).toMatchObject([
      { code: "invalid_union", errors: [{ length: 1 }, { length: 3 }] },
    ]);
    expect(certain(either, { kind: { deep: P } })).toEqual(["invalid_union"]);
    expect(certain(either, P)).toEqual([]);
    expect(certain(either, T)).toEqual(["invalid_union"]);
    expect(certain(either, [P])).toEqual(["invalid_union"]);
  });

  test("together have the fields of both", () => {
    const both = z.intersection(z.strictObject({ a: text }), z.object({ b: number, in: object.optional() }));
    expect(certain(both, { a: P, b: 1 })).toEqual([]);
    expect(certain(both, { a: P, b: "1" })).toEqual(["invalid_type b"]);
    expect(certain(both, { b: 1, in: { n: P, m: 1 } })).toEqual(["invalid_type a", "unrecognized_keys in"]);
  });
});

test("a value with nothing pending is checked as a whole, by its author's rules too", () => {
  expect(
    certain(
      z.string().refine(() => false),
      "a",
    ),
  ).toEqual(["custom"]);
  expect(
    certain(
      z.array(text).refine(() => false),
      ["a"],
    ),
  ).toEqual(["custom"]);
  expect(
    certain(z.strictObject({ a: z.array(text).refine(() => false), p: text }), { a: ["x"], p: P }),
  ).toEqual(["custom a"]);
});

test("a schema that knows by itself what is certain is asked", () => {
  const knows = Object.assign(z.string(), {
    findCertain: (input: unknown) => [{ code: "custom", path: [], input, message: "" }],
  });
  expect(findCertain(knows, P)).toMatchObject([{ code: "custom", input: P }]);
});
