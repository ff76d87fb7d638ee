import { expect, test } from "vitest";
import * as z from "zod";

import { toGeminiSchema } from "../../../src/features/discovery/gemini-schema.ts";

const STRING = { type: "string" };
/** An object of which nothing more can be said. */
const FREE = { type: "object", properties: { any: STRING } };
const ANY_ITEM = { anyOf: [STRING, { type: "number" }, { type: "boolean" }, FREE] };
const ANY = { anyOf: [...ANY_ITEM.anyOf, { type: "array", items: STRING }] };

test.each<[sentence: string, schema: object, translated: object]>([
  ["a type as it is", { type: "string", minLength: 1 }, { type: "string", minLength: 1 }],
  ["a constant as the only value", { const: "a" }, { type: "string", enum: ["a"] }],
  ["values of text", { enum: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
  ["an empty text among values as none of them", { enum: ["", "a"] }, { type: "string", enum: ["a"] }],
  ["an empty text as the only value as text", { const: "" }, { type: "string" }],
  ["numbers to choose from as a number", { type: "number", enum: [1, 2] }, { type: "number" }],
  ["a constant number as a number", { const: 1 }, { type: "number" }],
  ["a type or null as nullable", { type: ["string", "null"] }, { type: "string", nullable: true }],
  [
    "a union with null as nullable",
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { type: "integer", nullable: true },
  ],
  ["oneOf as anyOf", { oneOf: [STRING, { type: "integer" }] }, { anyOf: [STRING, { type: "integer" }] }],
  [
    "a definition where it is used, with what is said beside it",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/name", description: "Whose" } },
      $defs: { name: { type: "string", maxLength: 9 } },
    },
    { type: "object", properties: { a: { type: "string", maxLength: 9, description: "Whose" } } },
  ],
  [
    "properties without those that can only be an empty object",
    {
      type: "object",
      properties: { a: STRING, none: { type: "object", properties: {}, additionalProperties: false } },
      required: ["a", "none"],
    },
    { type: "object", properties: { a: STRING }, required: ["a"] },
  ],
  [
    "a property that is called $ref as a property",
    { type: "object", properties: { $ref: STRING }, required: ["$ref"] },
    { type: "object", properties: { $ref: STRING }, required: ["$ref"] },
  ],
  [
    "what is said beside a union with its first form, because anyOf stands alone",
    {
      anyOf: [{ type: "null" }, { ...STRING, description: "A name." }, { type: "integer" }],
      description: "Who.",
    },
    { anyOf: [{ ...STRING, description: "Who.\nA name.", nullable: true }, { type: "integer" }] },
  ],
  [
    "what is asked beside a union in each form it fits, with what the form asks itself",
    {
      anyOf: [STRING, { type: "integer" }, { $ref: "#/$defs/b" }],
      pattern: "^a$",
      minimum: 1,
      properties: { a: STRING },
      required: ["a"],
      $defs: { b: { type: "object", properties: { b: STRING }, required: ["b"] } },
    },
    {
      anyOf: [
        { type: "string", pattern: "^a$" },
        { type: "integer", minimum: 1 },
        { type: "object", properties: { a: STRING, b: STRING }, required: ["b", "a"] },
      ],
    },
  ],
  [
    "properties beside a union in full in its first form, and by their types in the others",
    {
      type: "object",
      properties: { kind: STRING, id: { type: "string", pattern: "^a$", description: "Whose" } },
      required: ["kind"],
      anyOf: [{ properties: { kind: { const: "a" } } }, { properties: { kind: { const: "b" } } }],
    },
    {
      anyOf: [
        {
          type: "object",
          properties: {
            kind: { type: "string", enum: ["a"] },
            id: { type: "string", pattern: "^a$", description: "Whose" },
          },
          required: ["kind"],
        },
        {
          type: "object",
          properties: { kind: { type: "string", enum: ["b"] }, id: STRING },
          required: ["kind"],
        },
      ],
    },
  ],
  [
    "several types as a union, each with its own bounds",
    { type: ["string", "number", "null"], minLength: 1, maximum: 9, description: "Either" },
    {
      anyOf: [
        { type: "string", minLength: 1, description: "Either", nullable: true },
        { type: "number", maximum: 9 },
      ],
    },
  ],
  [
    "a union in a union as one",
    { anyOf: [STRING, { anyOf: [{ type: "integer" }, { type: "boolean" }] }] },
    { anyOf: [STRING, { type: "integer" }, { type: "boolean" }] },
  ],
  [
    "values of several types as a union of them",
    { enum: ["a", 1, null] },
    { anyOf: [{ type: "string", enum: ["a"], nullable: true }, { type: "number" }] },
  ],
  [
    "allOf as one object",
    {
      allOf: [
        { type: "object", properties: { a: STRING }, required: ["a"] },
        { type: "object", properties: { b: STRING }, required: ["b"] },
      ],
    },
    { type: "object", properties: { a: STRING, b: STRING }, required: ["a", "b"] },
  ],
  ["an array of anything", { type: "array" }, { type: "array", items: ANY_ITEM }],
  [
    "a tuple as an array of any of its parts",
    { type: "array", prefixItems: [STRING, { type: "number" }] },
    { type: "array", items: { anyOf: [STRING, { type: "number" }] } },
  ],
  ["anything at all as any type", {}, ANY],
  [
    "a date and time with its format",
    { type: "string", format: "date-time" },
    { type: "string", format: "date-time" },
  ],
  ["any other format without it", { type: "string", format: "email" }, STRING],
  ["a pattern that looks around without it", { type: "string", pattern: "^(?!a)b$" }, STRING],
  [
    "a plain pattern with it",
    { type: "string", pattern: "^(?:a|b)$" },
    { type: "string", pattern: "^(?:a|b)$" },
  ],
  [
    "exclusive bounds of whole numbers as inclusive ones",
    { type: "integer", exclusiveMinimum: 0 },
    { type: "integer", minimum: 1 },
  ],
  [
    "exclusive bounds of other numbers without them",
    { type: "number", exclusiveMinimum: 0 },
    { type: "number" },
  ],
  [
    "an object without known properties as one with a property that stands for all",
    { type: "object", additionalProperties: STRING },
    FREE,
  ],
])("toGeminiSchema() writes %s", (_, schema, translated) => {
  expect(toGeminiSchema(schema as Record<string, unknown>)).toEqual(translated);
});

test("toGeminiSchema() takes what Zod writes", () => {
  const schema = z.toJSONSchema(
    z.strictObject({
      to: z.array(z.email()).min(1).max(10),
      when: z.union([z.iso.datetime(), z.literal("now")]).optional(),
      count: z.int().positive().nullable(),
      extra: z.record(z.string(), z.unknown()).optional(),
    }),
    { io: "input" },
  );
  expect(toGeminiSchema(schema as Record<string, unknown>)).toMatchObject({
    type: "object",
    properties: {
      to: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 10 },
      when: {
        anyOf: [
          { type: "string", format: "date-time" },
          { type: "string", enum: ["now"] },
        ],
      },
      count: { type: "integer", minimum: 1, nullable: true },
      extra: FREE,
    },
    required: ["to", "count"],
  });
});
