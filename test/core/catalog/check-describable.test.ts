import { expect, test } from "vitest";
import * as z from "zod";

import { checkDescribable } from "../../../src/core/catalog/check-describable.ts";
import { inputSchema } from "../../../src/core/catalog/tool-schema.ts";

const person: z.ZodType = z.object({
  get friends() {
    return z.array(person).optional();
  },
});
const sharedId = z.string().meta({ id: "check-describable-shared" });

/** The parts of an input, each as one field of it: those that can be written and those that cannot. */
const FIELDS: Readonly<Record<string, z.ZodType>> = {
  text: z.string().min(1).max(9).regex(/^a/).describe("A text"),
  email: z.email(),
  url: z.url().optional(),
  whole: z.int().min(1).max(3).default(2),
  number: z.number().nullable(),
  divided: z.number().multipleOf(0.5),
  dividedByNothing: z.number().multipleOf(0),
  flag: z.boolean().nullish(),
  word: z.enum(["a", "b"]).readonly(),
  literal: z.literal(["a", 1, null, true]),
  bigLiteral: z.literal(1n),
  noLiteral: z.literal([undefined, "a"]),
  list: z.array(z.strictObject({ a: z.string() })).min(1),
  anything: z.any(),
  unknown: z.unknown(),
  never: z.never(),
  record: z.record(z.string(), z.number()),
  dates: z.record(z.string(), z.date()),
  either: z.union([z.string(), z.number()]),
  tagged: z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") })]),
  both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
  pair: z.tuple([z.string(), z.number()]),
  loose: z.looseObject({ a: z.string() }),
  rest: z.object({}).catchall(z.bigint()),
  refined: z.string().refine((text) => text !== "x"),
  trimmed: z.string().trim().toLowerCase(),
  piped: z.string().pipe(z.transform((text) => text.length)),
  transformed: z.string().transform(Number),
  preprocessed: z.preprocess(Number, z.number()),
  coerced: z.coerce.number(),
  date: z.date(),
  big: z.bigint(),
  map: z.map(z.string(), z.string()),
  set: z.set(z.string()),
  symbol: z.symbol(),
  undefined: z.undefined(),
  nan: z.nan(),
  custom: z.custom<string>(() => true),
  lazy: z.lazy(() => z.string()),
  caught: z.string().catch("x"),
  prefault: z.string().prefault("x"),
  defaults: z.array(z.string()).default([]),
  unwritableDefault: z.any().default(1n),
  template: z.templateLiteral(["a", z.number()]),
  file: z.file(),
  itself: person,
  named: z.string().meta({ id: "check-describable-named", title: "A name" }),
  sameName: z.union([sharedId, z.number().meta({ title: "check-describable-other" })]),
};

function problemWith(check: (tool: { name: string; input: z.ZodType }) => unknown, input: z.ZodType) {
  try {
    check({ name: "a_tool", input });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(Object.keys(FIELDS))(
  "checkDescribable() says of an input with the field %s what writing its schema says",
  (name) => {
    const field = FIELDS[name]!;
    for (const input of [
      z.strictObject({ field }),
      z.object({ list: z.array(z.object({ field: field.optional() })), again: field }),
      field,
    ])
      expect(problemWith(checkDescribable, input)).toBe(problemWith(inputSchema, input));
  },
);

test("checkDescribable() refuses some of them and lets others pass, or it would have shown nothing", () => {
  const problems = Object.values(FIELDS).map((field) =>
    problemWith(checkDescribable, z.strictObject({ field })),
  );
  expect(problems.filter((problem) => problem === null).length).toBeGreaterThan(20);
  expect(problems.filter((problem) => problem !== null).length).toBeGreaterThan(10);
});

/** Give a schema a description that counts how often it is read: it is when the schema is written, and not at a glance. */
function countWritten<T extends z.ZodType>(schema: T): { readonly schema: T; readonly times: () => number } {
  let times = 0;
  z.globalRegistry.add(schema, {
    get description() {
      times += 1;
      return "A description";
    },
  });
  return { schema, times: () => times };
}

const PLAIN: Readonly<Record<string, (inner: z.ZodType) => z.ZodType>> = {
  itself: (inner) => inner,
  "an optional field": z.optional,
  "a nullable one": z.nullable,
  "one with a default": (inner) => inner.default("x"),
  "one that is filled in before": (inner) => inner.prefault("x"),
  "one that has to be there": z.nonoptional,
  "one that is only read": z.readonly,
  "an element of a list": z.array,
  "a field of an object": (inner) => z.strictObject({ inner }),
  "any other field of an object": (inner) => z.object({}).catchall(inner),
  "a value of a record": (inner) => z.record(z.string(), inner),
  "a name of a record": (inner) => z.record(inner as z.ZodString, z.number()),
  "a form of a union": (inner) => z.union([z.number(), inner]),
};

test.each(Object.keys(PLAIN))("checkDescribable() passes at a glance what is plain: %s", (name) => {
  const { schema, times } = countWritten(z.string());
  checkDescribable({ name: "a_tool", input: z.strictObject({ field: PLAIN[name]!(schema) }) });
  expect(times()).toBe(0);
  inputSchema({ name: "a_tool", input: z.strictObject({ field: PLAIN[name]!(schema) }) });
  expect(times()).toBeGreaterThan(0);
});

test.each<[string, z.ZodType]>([
  ["a number", z.number().int().min(1)],
  ["a flag", z.boolean()],
  ["null", z.null()],
  ["anything", z.any()],
  ["nothing", z.never()],
  ["a word", z.enum(["a"])],
  ["a literal of each kind", z.literal(["a", 1, true, null])],
  ["a default that is null", z.any().default(null)],
  ["a default that is a number", z.number().default(1)],
  ["a default that is a flag", z.boolean().default(true)],
])("checkDescribable() writes no schema of %s either", (_, field) => {
  const { schema, times } = countWritten(z.string());
  checkDescribable({ name: "a_tool", input: z.strictObject({ field, schema }) });
  expect(times()).toBe(0);
});

test.each<[string, z.ZodType]>([
  ["what has another name in its schema", z.string().meta({ title: "A title" })],
  ["a divisor", z.number().multipleOf(2)],
  ["a pair", z.tuple([z.string(), z.string()])],
  ["a transformation", z.string().transform(Number)],
  ["a list as a default", z.array(z.string()).default([])],
])("checkDescribable() has the schema written of %s, which says whether it can be", (_, field) => {
  const { schema, times } = countWritten(z.string());
  checkDescribable({ name: "a_tool", input: z.strictObject({ schema, field }) });
  expect(times()).toBeGreaterThan(0);
});
