import { describe, expect, test } from "vitest";

import { checkSchema } from "../../../../src/features/added-tools/json-schema/check-schema.ts";
import { toInput } from "../../../../src/features/added-tools/json-schema/to-input.ts";
import { defineTool, type Tool } from "../../../../src/core/catalog/define-tool.ts";
import { parseArgs } from "../../../../src/core/catalog/parse-args.ts";
import { toolSchema } from "../../../../src/core/catalog/tool-schema.ts";
import { declareTool } from "../../../support/sample-tools.ts";

function makeTool(schema: Readonly<Record<string, unknown>>): Tool {
  const wrong: string[] = [];
  checkSchema(schema, (path, expected) => void wrong.push(`/${path.join("/")}: ${expected}`));
  expect(wrong).toEqual([]);
  return defineTool({ ...declareTool(), input: toInput(schema) });
}

function issuesOf(schema: Readonly<Record<string, unknown>>, args: unknown): string[] {
  const parsed = parseArgs(makeTool(schema), args as Readonly<Record<string, unknown>>);
  if (parsed.ok) return [];
  return parsed.error.issues!.map(({ path, expected, received }) => `${path}: ${expected}, not ${received}`);
}

const of = (x: unknown, more: object = {}): Readonly<Record<string, unknown>> => ({
  type: "object",
  properties: { x },
  ...more,
});

describe("what does not fit is told with its path, what was expected and what came", () => {
  test.each<[keyword: string, schema: Readonly<Record<string, unknown>>, args: unknown, ...said: string[]]>([
    ["type", of({ type: "string" }), { x: 5 }, "/args/x: a string, not the number 5"],
    ["type integer", of({ type: "integer" }), { x: 1.5 }, "/args/x: an integer, not the number 1.5"],
    [
      "several types",
      of({ type: ["string", "null"] }),
      { x: true },
      "/args/x: a string or null, not the boolean true",
    ],
    ["required", of({ type: "string" }, { required: ["x"] }), {}, "/args/x: a string, not nothing"],
    ["required, of any type", of({}, { required: ["x"] }), {}, "/args/x: a value, not nothing"],
    [
      "all that is required",
      { type: "object", required: ["a", "b"] },
      {},
      "/args/a: a value, not nothing",
      "/args/b: a value, not nothing",
    ],
    [
      "additionalProperties",
      of({}, { additionalProperties: false }),
      { x: 1, y: 2 },
      "/args/y: no such field, not the number 2",
    ],
    [
      "unevaluatedProperties",
      of({}, { unevaluatedProperties: false }),
      { y: 2 },
      "/args/y: no such field, not the number 2",
    ],
    [
      "additionalProperties with a schema",
      of({}, { additionalProperties: { type: "string" } }),
      { y: 2 },
      "/args/y: a string, not the number 2",
    ],
    ["enum", of({ enum: ["a", "b"] }), { x: "c" }, '/args/x: one of "a", "b", not the string "c"'],
    ["const", of({ const: 1 }), { x: 2 }, "/args/x: one of 1, not the number 2"],
    ["minimum", of({ minimum: 3 }), { x: 2 }, "/args/x: a number at least 3, not the number 2"],
    ["maximum", of({ maximum: 3 }), { x: 4 }, "/args/x: a number at most 3, not the number 4"],
    [
      "exclusiveMinimum",
      of({ exclusiveMinimum: 3 }),
      { x: 3 },
      "/args/x: a number more than 3, not the number 3",
    ],
    [
      "exclusiveMaximum",
      of({ exclusiveMaximum: 3 }),
      { x: 3 },
      "/args/x: a number less than 3, not the number 3",
    ],
    ["multipleOf", of({ multipleOf: 0.1 }), { x: 0.25 }, "/args/x: a multiple of 0.1, not the number 0.25"],
    [
      "minLength",
      of({ minLength: 2 }),
      { x: "😀" },
      '/args/x: at least 2 characters long, not the string "😀"',
    ],
    [
      "maxLength",
      of({ maxLength: 1 }),
      { x: "ab" },
      '/args/x: at most 1 character long, not the string "ab"',
    ],
    [
      "pattern",
      of({ pattern: "^[a-z]+$" }),
      { x: "A" },
      '/args/x: text matching /^[a-z]+$/, not the string "A"',
    ],
    ["minItems", of({ minItems: 1 }), { x: [] }, "/args/x: at least 1 item long, not an array of 0"],
    ["maxItems", of({ maxItems: 1 }), { x: [1, 2] }, "/args/x: at most 1 item long, not an array of 2"],
    [
      "uniqueItems",
      of({ uniqueItems: true }),
      { x: [{ a: 1 }, { a: 1 }] },
      "/args/x: an array of items that are all different, not an array of 2",
    ],
    [
      "items",
      of({ items: { type: "string" } }),
      { x: ["a", 1, 2] },
      "/args/x/1: a string, not the number 1",
      "/args/x/2: a string, not the number 2",
    ],
    [
      "prefixItems",
      of({ prefixItems: [{ type: "string" }], items: false }),
      { x: [1, 2] },
      "/args/x/0: a string, not the number 1",
      "/args/x/1: nothing here, not the number 2",
    ],
    [
      "contains",
      of({ contains: { type: "string" } }),
      { x: [1, 2] },
      "/args/x: an array with at least 1 of the items that are asked for, not an array of 2",
    ],
    [
      "minContains",
      of({ contains: { type: "string" }, minContains: 2 }),
      { x: [1, "a"] },
      "/args/x: an array with at least 2 of the items that are asked for, not an array of 2",
    ],
    [
      "maxContains",
      of({ contains: { type: "string" }, maxContains: 1 }),
      { x: ["a", "b"] },
      "/args/x: an array with at most 1 of the items that are looked for, not an array of 2",
    ],
    [
      "minProperties",
      { type: "object", minProperties: 1 },
      {},
      "/args: an object with at least 1 field, not an object",
    ],
    [
      "maxProperties",
      { type: "object", maxProperties: 1 },
      { a: 1, b: 2 },
      "/args: an object with at most 1 field, not an object",
    ],
    [
      "propertyNames",
      { type: "object", propertyNames: { pattern: "^[a-z]+$" } },
      { A1: 1 },
      "/args/A1: a field of another name, not the number 1",
    ],
    [
      "patternProperties",
      { type: "object", patternProperties: { "^n_": { type: "number" } } },
      { n_a: "x" },
      '/args/n_a: a number, not the string "x"',
    ],
    [
      "dependentRequired",
      { type: "object", dependentRequired: { a: ["b"] } },
      { a: 1 },
      "/args/b: a value, because 'a' has one, not nothing",
    ],
    [
      "dependentSchemas",
      { type: "object", dependentSchemas: { a: { required: ["b"] } } },
      { a: 1 },
      "/args/b: a value, not nothing",
    ],
    ["not", of({ not: { type: "string" } }), { x: "a" }, '/args/x: something else, not the string "a"'],
    ["false", of(false), { x: 1 }, "/args/x: nothing here, not the number 1"],
    [
      "allOf",
      of({ allOf: [{ minimum: 3 }, { maximum: 1 }] }),
      { x: 2 },
      "/args/x: a number at least 3, not the number 2",
      "/args/x: a number at most 1, not the number 2",
    ],
    [
      "anyOf of types",
      of({ anyOf: [{ type: "string" }, { type: "number" }] }),
      { x: true },
      "/args/x: a string or a number, not the boolean true",
    ],
    [
      "anyOf, one of which was meant",
      of({ anyOf: [{ type: "string" }, { type: "object", required: ["id"] }] }),
      { x: {} },
      "/args/x/id: a value, not nothing",
    ],
    [
      "oneOf that fits twice",
      of({ oneOf: [{ minimum: 1 }, { minimum: 2 }] }),
      { x: 3 },
      "/args/x: one of several forms, and it fits 2 of them at once, not the number 3",
    ],
    [
      "if and then",
      of(JSON.parse('{"if": {"type": "string"}, "then": {"minLength": 3}}')),
      { x: "a" },
      '/args/x: at least 3 characters long, not the string "a"',
    ],
    [
      "if and else",
      of({ if: { type: "string" }, else: { minimum: 3 } }),
      { x: 1 },
      "/args/x: a number at least 3, not the number 1",
    ],
    [
      "$ref",
      of({ $ref: "#/$defs/a" }, { $defs: { a: { type: "string" } } }),
      { x: 1 },
      "/args/x: a string, not the number 1",
    ],
    [
      "$ref to an anchor",
      of({ $ref: "#a" }, { $defs: { b: { $anchor: "a", type: "string" } } }),
      { x: 1 },
      "/args/x: a string, not the number 1",
    ],
    [
      "$ref to what is no schema's place",
      of({ $ref: "#/components/schemas/A%20b" }, { components: { schemas: { "A b": { type: "string" } } } }),
      { x: 1 },
      "/args/x: a string, not the number 1",
    ],
    [
      "$ref that comes back",
      of({ $ref: "#" }),
      { x: { x: { x: 1 } } },
      "/args/x/x/x: an object, not the number 1",
    ],
    [
      "a name with every sign",
      { type: "object", properties: { "a/b~c%# é": { type: "string" } } },
      { "a/b~c%# é": 1 },
      "/args/a~1b~0c%# é: a string, not the number 1",
    ],
  ])("%s", (_, schema, args, ...said) => {
    expect(issuesOf(schema, args)).toEqual(said);
  });

  test("a field that does not exist, with what it may have meant", () => {
    const parsed = parseArgs(makeTool(of({ type: "string" }, { additionalProperties: false })), { xx: "a" });
    expect(parsed).toMatchObject({
      error: { hint: "There is no field /args/xx. Did you mean 'x' instead of 'xx'?" },
    });
  });

  test("a number in quotes", () => {
    const parsed = parseArgs(makeTool(of({ type: "integer" })), { x: "5" });
    expect(parsed).toMatchObject({
      error: { hint: '/args/x must be an integer, received the string "5". Write it without quotes: 5.' },
    });
  });
});

describe("unevaluated fields and items are those that the schema itself and what is inside it do not name", () => {
  const named = { x: true };
  const closed = { properties: { y: true }, unevaluatedProperties: false };
  const field = "/args/x: no such field, not the number 1";
  const beside = "/args: something else, not an object";
  test.each<[what: string, schema: object, ...said: string[]]>([
    ["allOf beside a reference", { $ref: "#/$defs/named", allOf: [closed] }, beside],
    ["a reference to it, in allOf", { $ref: "#/$defs/named", allOf: [{ $ref: "#/$defs/closed" }] }, beside],
    ["dependentSchemas", { anyOf: [{ properties: named }], dependentSchemas: { x: closed } }, beside],
    [
      "a reference as the schema of what is unevaluated",
      {
        anyOf: [{ properties: named }],
        dependentSchemas: { x: { unevaluatedProperties: { $ref: "#/$defs/text" } } },
      },
      beside,
    ],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword
    ["then", { if: { properties: named }, then: closed }, beside],
    ["else", { allOf: [{ properties: named }], if: false, else: closed }, beside],
    [
      "a chain of references",
      { allOf: [{ properties: named }], if: false, else: { $ref: "#/$defs/chain" } },
      beside,
    ],
    [
      "what is wrong otherwise is told alone",
      { $ref: "#/$defs/named", allOf: [{ ...closed, required: ["y"] }] },
      "/args/y: a value, not nothing",
    ],
    ["not beside it", { allOf: [closed] }, field],
    ["what a reference inside names", { $ref: "#/$defs/named", unevaluatedProperties: false }],
    [
      "what it has named is named for what is outside",
      { $ref: "#/$defs/named", allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false },
    ],
  ])("%s", (_, schema, ...said) => {
    const $defs = {
      named: { properties: named },
      text: { type: "string" },
      closed,
      chain: { $ref: "#/$defs/closed" },
    };
    expect(issuesOf({ type: "object", ...schema, $defs }, { x: 1 })).toEqual(said);
  });

  test("items", () => {
    const closed = { unevaluatedItems: false };
    const schema = of(
      { $ref: "#/$defs/pair", allOf: [closed] },
      { $defs: { pair: { prefixItems: [true, true] } } },
    );
    expect(issuesOf(schema, { x: [1, 2] })).toEqual(["/args/x: something else, not an array of 2"]);
    expect(issuesOf(schema, { x: [] })).toEqual([]);
  });
});

describe("what fits", () => {
  test.each<[what: string, schema: Readonly<Record<string, unknown>>, args: object]>([
    ["is not converted, and no default filled in", of({ type: "string", default: "a" }), { y: "1" }],
    ["may be of no format", of({ format: "email", type: "string" }), { x: "nobody" }],
    [
      "is not asked for what other drafts asked",
      { type: "object", id: "x", definitions: { a: {} }, nullable: true },
      { a: 1 },
    ],
    ["has names of every kind", { type: "object" }, { "": 1, "a b": 2, "\u{1F600}": 3 }],
    ["may be an integer as 1.0", of({ type: "integer" }), { x: 1 }],
    ["may refer to itself", of({ $ref: "#" }, { additionalProperties: false }), { x: { x: {} } }],
  ])("%s", (_, schema, args) => {
    expect(parseArgs(makeTool(schema), args as Record<string, unknown>)).toEqual({ ok: true, value: args });
  });
});

describe("the schema that is shown", () => {
  const shown = (schema: Readonly<Record<string, unknown>>): unknown => {
    const { "x-orchestration": _, ...rest } = toolSchema(makeTool(schema));
    return rest;
  };

  test("is the one that was written, where it refers to nothing", () => {
    const schema = of(
      { type: "string", format: "email", "x-more": { enum: [1] }, examples: ["a"], deprecated: true },
      { required: ["x"], additionalProperties: false },
    );
    expect(shown(schema)).toEqual(schema);
  });

  test("has what it refers to in its place", () => {
    expect(
      shown(
        of(
          { $ref: "#/$defs/a", description: "An x" },
          { $defs: { a: { type: "string", description: "An a" } } },
        ),
      ),
    ).toEqual(of({ type: "string", description: "An x" }));
  });

  test("has nothing that a provider refuses whole", () => {
    const schema = of({ type: "array" }, { additionalProperties: true, patternProperties: { a: false } });
    expect(shown(schema)).toEqual(
      of({ type: "array", items: {} }, { additionalProperties: true, patternProperties: { a: { not: {} } } }),
    );
  });

  test("ends where it comes back to itself", () => {
    const tree = {
      type: "object",
      properties: { inner: { type: "array", items: { $ref: "#/$defs/tree" } } },
    };
    const once = { type: "object", properties: { inner: { type: "array", items: {} } } };
    expect(shown(of({ $ref: "#/$defs/tree" }, { $defs: { tree } }))).toEqual(of(once));
  });

  test("is bounded, however often it refers", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        {
          type: "object",
          properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } },
        },
      ]),
    );
    const schema = of({ $ref: "#/$defs/d0" }, { $defs: { ...$defs, d40: { type: "string" } } });
    expect(JSON.stringify(shown(schema)).length).toBeLessThan(200_000);
  });
});

test("a schema that asks about each value twice as often at each level is given up, not followed", () => {
  const schema = of(
    { $ref: "#/$defs/n" },
    {
      $defs: {
        n: {
          allOf: [{ properties: { x: { $ref: "#/$defs/n" } } }, { properties: { x: { $ref: "#/$defs/n" } } }],
        },
      },
    },
  );
  let value: object = {};
  for (let level = 0; level < 28; level += 1) value = { x: value };
  expect(issuesOf(schema, value)).toEqual([expect.stringContaining("takes too long to check")]);
});

test("names that are half of a character are refused, not thrown", () => {
  expect(
    issuesOf({ type: "object", additionalProperties: { type: "string" } }, { "\ud800": "a" }),
  ).toHaveLength(1);
});
