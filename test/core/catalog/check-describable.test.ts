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
