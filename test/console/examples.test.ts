import { expect, test } from "vitest";
import * as z from "zod";

import { exampleOf } from "../../src/console/editor/examples.ts";
import type { JsonSchema } from "../../src/console/kit/wire.ts";

test.each([
  [
    "examples",
    z
      .string()
      .min(3)
      .meta({ examples: ["Phoenix"] }),
    "Phoenix",
  ],
  ["a default", z.int().default(5), 5],
  ["a choice", z.enum(["plain", "html"]), "plain"],
  ["one value", z.literal("v1"), "v1"],
  ["a shortest text", z.string().min(3), "aaa"],
  ["a text without bounds", z.string(), ""],
  ["an email address", z.email(), "you@example.com"],
  ["an address", z.url(), "https://example.com"],
  ["a date", z.iso.date(), "2026-01-15"],
  ["a time", z.iso.datetime(), "2026-01-15T12:00:00Z"],
  ["a UUID", z.uuid(), "00000000-0000-4000-8000-000000000000"],
  ["a whole number", z.int(), 0],
  ["a number above another", z.int().positive(), 1],
  ["a least number", z.number().min(10), 10],
  ["a greatest number below zero", z.number().max(-3), -3],
  ["a list of so many", z.array(z.string().min(1)).min(2), ["a", "a"]],
])("An example of a tool whose argument has %s is one that its schema takes", (_, argument, value) => {
  const schema = z.object({ it: argument as z.ZodType });
  const example = exampleOf({
    name: "t",
    description: "T.",
    input_schema: { ...(z.toJSONSchema(schema) as JsonSchema), required: ["it"] },
  });
  const { args } = (JSON.parse(example) as { actions: [{ args: unknown }] }).actions[0];
  expect(args).toEqual({ it: value });
  expect(schema.safeParse(args).success).toBe(true);
});

test.each([
  ["a pattern", z.string().regex(/^[A-Z]{3}-\d+$/), undefined],
  ["a pattern of each in a list", z.array(z.string().regex(/^\d+$/)), []],
  ["a pattern that the shortest text fits", z.string().min(2).regex(/^a+$/), "aa"],
  [
    "a pattern, and an example",
    z
      .string()
      .regex(/^\d+$/)
      .meta({ examples: ["12"] }),
    "12",
  ],
])(
  "An example of a tool whose argument has %s makes up no text that its schema refuses",
  (_, argument, value) => {
    const input_schema = { ...(z.toJSONSchema(z.object({ it: argument })) as JsonSchema), required: ["it"] };
    const example = exampleOf({ name: "t", description: "T.", input_schema });
    const { args } = (JSON.parse(example) as { actions: [{ args: { it?: unknown } }] }).actions[0];
    expect(args.it).toEqual(value);
  },
);
