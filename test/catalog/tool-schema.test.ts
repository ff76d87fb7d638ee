import { expect, test } from "vitest";
import * as z from "zod";

import { defineTool } from "../../src/catalog/define-tool.ts";
import { toolSchema } from "../../src/catalog/tool-schema.ts";
import { declareTool, getOrder, searchOrders, sendReceipt } from "../support/sample-tools.ts";

test("toolSchema() describes the arguments as a caller sends them: a default is not required", () => {
  expect(toolSchema(searchOrders)).toEqual({
    type: "object",
    properties: {
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
    },
    required: ["query"],
    additionalProperties: false,
    "x-orchestration": { mode: "parallel-safe" },
  });
});

test("toolSchema() carries the whole contract under x-orchestration", () => {
  expect(toolSchema(getOrder)["x-orchestration"]).toEqual(getOrder.orchestration);
});

test("toolSchema() writes no $schema, which would be repeated in every tool", () => {
  expect(toolSchema(sendReceipt)).not.toHaveProperty("$schema");
});

test("toolSchema() writes each tool's schema once", () => {
  expect(toolSchema(searchOrders)).toBe(toolSchema(searchOrders));
});

/** The schema of a tool with this input. */
function schemaOf(input: z.ZodType) {
  return toolSchema(defineTool({ ...declareTool(), input, run: async () => null }));
}

test("toolSchema() refers to nothing outside itself: a named part is written out wherever it is used", () => {
  const address = z.strictObject({ city: z.string() }).meta({ id: "Address/1" });
  const written = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  };
  const order = z.strictObject({ from: address, to: z.array(address.describe("Where to")) });
  expect(schemaOf(order)).toEqual({
    type: "object",
    properties: { from: written, to: { type: "array", items: { ...written, description: "Where to" } } },
    required: ["from", "to"],
    additionalProperties: false,
    "x-orchestration": { mode: "parallel-safe" },
  });
  expect(schemaOf(address)).toEqual({ ...written, "x-orchestration": { mode: "parallel-safe" } });
});

test("toolSchema() leaves alone what only looks like a reference", () => {
  const input = z.object({ $ref: z.string(), data: z.any().default({ $ref: "#/$defs/none" }) });
  expect(schemaOf(input)).toMatchObject({
    properties: { $ref: { type: "string" }, data: { default: { $ref: "#/$defs/none" } } },
  });
});

test.each<[string, z.ZodType]>([
  ["a loose object", z.looseObject({})],
  ["a record", z.record(z.string(), z.number())],
  ["two objects together", z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))],
  ["an object that is transformed", z.object({ a: z.string() }).transform(({ a }) => a)],
])("toolSchema() accepts as input %s", (_, input) => {
  expect(schemaOf(input)["type"]).toBe("object");
});

test("toolSchema() says of every array what it holds, tuples included: some providers refuse one that does not", () => {
  const input = z.strictObject({ box: z.tuple([z.number(), z.number()]), any: z.array(z.unknown()) });
  expect(schemaOf(input)["properties"]).toEqual({
    box: {
      type: "array",
      prefixItems: [{ type: "number" }, { type: "number" }],
      items: {},
      minItems: 2,
      maxItems: 2,
    },
    any: { type: "array", items: {} },
  });
});

test("toolSchema() does not say that names are strings", () => {
  const named = z.record(z.enum(["a"]), z.number());
  const input = z.strictObject({ free: z.record(z.string(), z.number()), named });
  expect(schemaOf(input)["properties"]).toMatchObject({
    free: { type: "object", additionalProperties: { type: "number" } },
    named: { propertyNames: { type: "string", enum: ["a"] } },
  });
  expect(JSON.stringify(schemaOf(input)).split("propertyNames")).toHaveLength(2);
});
