import { describe, expect, test } from "vitest";

import { documentOf, importAll, importOne, jsonBody, whySkipped } from "../../../support/openapi-document.ts";
import { trial } from "../../../support/trial.ts";

type Json = Readonly<Record<string, unknown>>;

const string = { type: "string" };

/** The written form of a schema, where it stands for a field of a body. */
function written(
  schema: unknown,
  { version = "3.1.0", components = {} }: { version?: string; components?: Json } = {},
): Json {
  const { input_schema: input } = importOne(jsonBody({ type: "object", properties: { a: schema } }), {
    openapi: version,
    components: { schemas: components },
  });
  const { a } = input["properties"] as { readonly a: Json };
  return input["$defs"] === undefined ? a : { ...a, $defs: input["$defs"] };
}

describe("A schema of OpenAPI 3.0 is written as JSON Schema 2020-12", () => {
  const rows: [sentence: string, schema: unknown, result: unknown][] = [
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      "nullable with an enum",
      { type: "string", enum: ["x"], nullable: true },
      { type: ["string", "null"], enum: ["x", null] },
    ],
    [
      "nullable beside a reference",
      { $ref: "#/components/schemas/Text", nullable: true },
      { type: ["string", "null"], maxLength: 5 },
    ],
    [
      "nullable around one schema",
      { nullable: true, allOf: [{ $ref: "#/components/schemas/Text" }] },
      { type: ["string", "null"], maxLength: 5 },
    ],
    ["not nullable", { type: "string", nullable: false }, string],
    [
      "exclusive bounds as flags",
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { type: "number", exclusiveMinimum: 1, maximum: 5 },
    ],
    [
      "example, xml and the like",
      { type: "string", example: "x", xml: {}, externalDocs: {}, "x-own": 1, title: "T" },
      string,
    ],
    ["a file", { type: "file" }, string],
    ["a type that is none", { type: "any" }, {}],
    [
      "a discriminator",
      { type: "object", discriminator: { propertyName: "k" }, properties: { k: string } },
      { type: "object", properties: { k: string } },
    ],
    [
      "fields that are only read",
      {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "string", readOnly: true }, b: string },
      },
      { type: "object", properties: { b: string }, required: ["b"] },
    ],
    [
      "a field that its reference says is only read",
      { type: "object", properties: { a: { $ref: "#/components/schemas/Read" }, b: string } },
      { type: "object", properties: { b: string } },
    ],
    [
      "fields that are only written",
      { type: "object", properties: { a: { type: "string", writeOnly: true } } },
      { type: "object", properties: { a: string } },
    ],
    [
      "words beside a reference",
      { $ref: "#/components/schemas/Text", description: "Mine." },
      { type: "string", maxLength: 5, description: "Mine." },
    ],
    [
      "limits beside a reference, which do not count",
      { $ref: "#/components/schemas/Text", minLength: 2 },
      { type: "string", maxLength: 5 },
    ],
  ];
  test.each(rows)("%s", (_, schema, result) => {
    const components = { Text: { type: "string", maxLength: 5 }, Read: { type: "string", readOnly: true } };
    expect(written(schema, { version: "3.0.3", components })).toEqual(result);
  });
});

describe("A schema of OpenAPI 3.1 keeps what limits a value", () => {
  const rows: [sentence: string, schema: unknown, result: unknown][] = [
    ["several types", { type: ["string", "null"] }, { type: ["string", "null"] }],
    [
      "bounds",
      { type: "number", exclusiveMinimum: 1, multipleOf: 2 },
      { type: "number", exclusiveMinimum: 1, multipleOf: 2 },
    ],
    ["a constant", { const: "x" }, { const: "x" }],
    [
      "lists",
      { type: "array", items: string, minItems: 1, uniqueItems: true },
      { type: "array", items: string, minItems: 1, uniqueItems: true },
    ],
    ["a list of anything", { type: "array" }, { type: "array", items: {} }],
    [
      "places in a list",
      { type: "array", prefixItems: [string], items: false },
      { type: "array", prefixItems: [string], items: false },
    ],
    [
      "a dictionary",
      { type: "object", additionalProperties: string },
      { type: "object", additionalProperties: string },
    ],
    [
      "an object without other fields",
      { type: "object", properties: { k: string }, additionalProperties: false },
      { type: "object", properties: { k: string }, additionalProperties: false },
    ],
    [
      "an object whose type is not said",
      { properties: { k: string } },
      { type: "object", properties: { k: string } },
    ],
    [
      "one of several, which may be several",
      { oneOf: [string, { type: "integer" }] },
      { anyOf: [string, { type: "integer" }] },
    ],
    ["one of one", { oneOf: [string], description: "Mine." }, { type: "string", description: "Mine." }],
    [
      "all of plain objects as one",
      {
        allOf: [
          { type: "object", required: ["k"], properties: { k: string } },
          { properties: { l: string } },
        ],
      },
      { type: "object", properties: { k: string, l: string }, required: ["k"] },
    ],
    [
      "all of others as they are",
      {
        allOf: [
          { type: "string", minLength: 1 },
          { type: "string", maxLength: 5 },
        ],
      },
      {
        allOf: [
          { type: "string", minLength: 1 },
          { type: "string", maxLength: 5 },
        ],
      },
    ],
    [
      "limits beside a reference",
      { $ref: "#/components/schemas/Text", minLength: 2 },
      { allOf: [{ type: "string", maxLength: 5 }, { minLength: 2 }] },
    ],
    [
      "what only who is called can judge, left out",
      { type: "string", not: { const: "x" }, if: {}, else: {}, $id: "u:x", $comment: "c" },
      string,
    ],
    [
      "values that a keyword cannot have, left out",
      { type: "string", minLength: "5", enum: [], maxLength: -1, pattern: 7 },
      string,
    ],
    ["values twice, once", { enum: ["a", "a", "b"] }, { enum: ["a", "b"] }],
    [
      "a description on one line, without markup",
      { type: "string", description: "A <b>bold</b>\n[link](https://x.example)." },
      { type: "string", description: "A bold link." },
    ],
    ["a default", { type: "integer", default: 3 }, { type: "integer", default: 3 }],
  ];
  test.each(rows)("%s", (_, schema, result) => {
    expect(written(schema, { components: { Text: { type: "string", maxLength: 5 } } })).toEqual(result);
  });
});

describe("References", () => {
  test("lead through ~0, ~1 and percent signs, from anywhere to anywhere", () => {
    const components = { "a/b~c d": string };
    expect(written({ $ref: "#/components/schemas/a~1b~0c%20d" }, { components })).toEqual(string);
    expect(
      written(
        { $ref: "#/components/schemas/T/properties/x" },
        { components: { T: { properties: { x: string } } } },
      ),
    ).toEqual(string);
  });

  test("of parameters, bodies and path items are followed, with what stands beside them", () => {
    const document = documentOf(
      { "/a": { $ref: "#/components/pathItems/A" } },
      {
        components: {
          pathItems: {
            A: {
              post: {
                operationId: "op",
                parameters: [{ $ref: "#/components/parameters/Q" }],
                requestBody: { $ref: "#/components/requestBodies/B" },
              },
            },
          },
          parameters: { Q: { name: "q", in: "query", schema: string } },
          requestBodies: {
            B: { content: { "application/json": { schema: { type: "object", properties: { b: string } } } } },
          },
        },
      },
    );
    const [declaration] = importAll(document).declarations;
    expect(declaration!.input_schema["properties"]).toEqual({ q: string, b: string });
  });

  test("of a schema to itself are definitions, and only those", () => {
    const Node = {
      type: "object",
      properties: { name: string, children: { type: "array", items: { $ref: "#/components/schemas/Node" } } },
    };
    const node = {
      type: "object",
      properties: { name: string, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
    };
    expect(written({ $ref: "#/components/schemas/Node" }, { components: { Node } })).toEqual({
      $ref: "#/$defs/Node",
      $defs: { Node: node },
    });
    const { input_schema: schema } = importOne(jsonBody({ $ref: "#/components/schemas/Node" }), {
      components: { schemas: { Node } },
    });
    expect(schema).toEqual({ ...node, additionalProperties: false, $defs: { Node: node } });
  });

  test("of two schemas to each other end", () => {
    const components = {
      A: { type: "object", properties: { b: { $ref: "#/components/schemas/B" } } },
      B: { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } },
    };
    expect(written({ $ref: "#/components/schemas/A" }, { components })).toEqual({
      $ref: "#/$defs/A",
      $defs: {
        A: {
          type: "object",
          properties: { b: { type: "object", properties: { a: { $ref: "#/$defs/A" } } } },
        },
      },
    });
  });

  test.each([
    [
      "a schema that is all of itself",
      { A: { allOf: [{ $ref: "#/components/schemas/A" }, { type: "string" }] } },
    ],
    [
      "one that is itself or something else",
      { A: { anyOf: [{ $ref: "#/components/schemas/A" }, { type: "string" }] } },
    ],
  ])("that no value ends say nothing: %s", (_, components) => {
    expect(JSON.stringify(written({ $ref: "#/components/schemas/A" }, { components }))).not.toContain("$ref");
  });

  const broken: [reference: string, reason: RegExp][] = [
    ["#/components/schemas/Missing", /leads nowhere in the document/],
    ["#/components/schemas/Loop", /leads in a circle/],
    ["other.yaml#/Pet", /needs another document, 'other\.yaml#\/Pet'/],
    ["https://example.com/pet.json", /needs another document/],
    ["#anchor", /is no JSON Pointer/],
    ["#/a~2", /is no JSON Pointer/],
    ["#/%", /is no JSON Pointer/],
    ["#/components/schemas/__proto__", /leads nowhere/],
    ["#/constructor", /leads nowhere/],
  ];
  test.each(broken)("that lead nowhere cost the operation that needs them: %s", (reference, reason) => {
    const components = { schemas: { Loop: { $ref: "#/components/schemas/Loop" } } };
    const operation = jsonBody({ type: "object", properties: { a: { $ref: reference } } });
    expect(whySkipped(operation, { components })).toMatch(reason);
  });

  test("are inside the tool's own schema, whatever refers to whatever", () => {
    const names = ["A", "B", "C", "D", "E", "F"];
    const components = Object.fromEntries(
      names.map((name) => [
        name,
        {
          type: "object",
          properties: Object.fromEntries(
            names.map((other) => [other, { $ref: `#/components/schemas/${other}` }]),
          ),
        },
      ]),
    );
    const { input_schema: schema } = importOne(jsonBody({ $ref: "#/components/schemas/A" }), {
      components: { schemas: components },
    });
    const defined = new Set(Object.keys(schema["$defs"] ?? {}));
    const text = JSON.stringify(schema);
    for (const [, name] of text.matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) expect(defined).toContain(name);
    expect(text.length).toBeLessThan(64 * 1024);
  });
});

describe("A schema that is too large", () => {
  const wide = (fields: number, inner: unknown): Json => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: fields }, (_, n) => [`field_number_${n}`, inner])),
  });

  trial("loses its descriptions first", () => {
    const schema = written({ ...wide(300, { type: "string", description: "word ".repeat(70) }) });
    expect(Object.keys(schema["properties"] as Json)).toHaveLength(300);
    expect(JSON.stringify(schema)).not.toContain("word");
  });

  trial("loses what is deep next", () => {
    const schema = written(wide(30, wide(30, wide(30, wide(5, string)))));
    expect(schema["properties"]).toMatchObject({
      field_number_7: { properties: { field_number_3: { type: "object" } } },
    });
    expect(JSON.stringify(schema).length).toBeLessThan(64 * 1024);
  });

  test("has up to 300 fields, and costs the operation with that bound where it has more", () => {
    const { http } = importOne(jsonBody(wide(300, string)));
    expect(http!.body).toHaveLength(300);
    expect(whySkipped(jsonBody(wide(301, string)))).toBe(
      "Left out because its body has 301 fields, and a tool sends at most 300 there.",
    );
  });

  trial("costs the operation when its own fields are too many", () => {
    expect(whySkipped(jsonBody(wide(5_000, string)))).toMatch(/more than 65536 bytes to describe/);
  });

  trial("is one that references multiply, too", () => {
    const components = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `L${n}`,
        {
          type: "object",
          properties: {
            a: { $ref: `#/components/schemas/L${n + 1}` },
            b: { $ref: `#/components/schemas/L${n + 1}` },
          },
        },
      ]),
    );
    const operation = jsonBody({ $ref: "#/components/schemas/L0" });
    const { input_schema: schema } = importOne(operation, {
      components: { schemas: { ...components, L40: string } },
    });
    expect(JSON.stringify(schema).length).toBeLessThan(64 * 1024);
    expect(Object.keys(schema["properties"] as Json)).toEqual(["a", "b"]);
  });
});
