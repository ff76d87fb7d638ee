import { describe, expect, test } from "vitest";
import * as z from "zod";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { hideNames, toDeclarationText, toolSchema } from "../../../src/core/catalog/tool-schema.ts";
import { declareTool, deleteOrder, getOrder, searchOrders, sendReceipt } from "../../support/sample-tools.ts";

test("toolSchema() describes the arguments as a caller sends them: a default is not required", () => {
  expect(toolSchema(searchOrders)).toEqual({
    type: "object",
    properties: {
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
    },
    required: ["query"],
    additionalProperties: false,
    "x-orchestration": { mode: "parallel-safe", on_error: "partial-success", confirm: "never" },
  });
});

test("toolSchema() carries the whole contract under x-orchestration", () => {
  expect(toolSchema(getOrder)["x-orchestration"]).toEqual({
    ...getOrder.orchestration,
    on_error: "partial-success",
    confirm: "never",
  });
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
    "x-orchestration": { mode: "parallel-safe", on_error: "partial-success", confirm: "never" },
  });
  expect(schemaOf(address)).toEqual({
    ...written,
    "x-orchestration": { mode: "parallel-safe", on_error: "partial-success", confirm: "never" },
  });
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

describe("for who may not call every tool", () => {
  /** Each time another set: what is written for one of them is remembered for that one. */
  const hide = (...more: string[]) => new Set(["find_page", "look", "getNote", ...more]);
  const tool = defineTool({
    ...declareTool({ name: "show" }),
    isWrite: true,
    actions: ["update"],
    input: z.strictObject({
      page_id: z.string().describe("From find_page or `look`."),
      find_page: z.string().optional(),
    }),
    orchestration: {
      mode: "dependent",
      depends_on: [
        { tool: "find_page", required_fields: ["page_id"] },
        { tool: "find_page-2", required_fields: ["page_id"] },
      ],
      verify_with: { tool: "look", args: { id: "/page_id" } },
    },
    run: async () => null,
  });

  test("toolSchema() says nothing of the others: contract and descriptions, not the fields", () => {
    expect(toolSchema(tool, hide())).toMatchObject({
      properties: {
        page_id: { type: "string", description: "From another tool or another tool." },
        find_page: { type: "string" },
      },
      "x-orchestration": {
        mode: "dependent",
        depends_on: [{ tool: "find_page-2", required_fields: ["page_id"] }],
      },
    });
    expect(toolSchema(tool, hide())["x-orchestration"]).not.toHaveProperty("verify_with");
    expect(toolSchema(tool, hide("find_page-2"))["x-orchestration"]).toEqual({
      mode: "dependent",
      on_error: "fail-fast",
      confirm: "never",
    });
    expect(toolSchema(tool)["x-orchestration"]).toMatchObject(tool.orchestration);
  });

  test.each([
    [
      "Takes what find_page, getNote or 'look' gives.",
      "Takes what another tool, another tool or another tool gives.",
    ],
    ["Have a look at my-find_page-2.", "Have a look at my-find_page-2."],
    ["(find_page)", "(another tool)"],
  ])("hideNames() takes a plain word for a word: %s", (text, shown) => {
    expect(hideNames(text, hide())).toBe(shown);
    expect(hideNames(text, new Set())).toBe(text);
  });
});

test.each([
  ["a read", searchOrders, { on_error: "partial-success", confirm: "never" }],
  ["a write that deletes", deleteOrder, { on_error: "fail-fast", confirm: "always" }],
  ["a write", sendReceipt, { on_error: "fail-fast", confirm: "never" }],
])("toolSchema() shows of %s what its author left to the default", (_, tool, expected) => {
  expect(toolSchema(tool)["x-orchestration"]).toEqual({ ...tool.orchestration, ...expected });
});

test("toDeclarationText() stays what it was, so that a yes to a tool outlives how its defaults are shown", () => {
  const { schema } = JSON.parse(toDeclarationText(deleteOrder)) as { schema: Record<string, unknown> };
  expect(schema["x-orchestration"]).toEqual({ mode: "sequential-only" });
});

test("toDeclarationText() tells of the hosts and bindings that a tool reaches, and nothing of bindings where it has none", () => {
  const textOf = (changes: object) =>
    JSON.parse(toDeclarationText(defineTool(declareTool(changes)))) as object;
  expect(textOf({})).toMatchObject({ hosts: ["status.example.com"] });
  expect(textOf({})).not.toHaveProperty("bindings");
  expect(textOf({ bindings: ["DB"] })).toMatchObject({ hosts: ["status.example.com"], bindings: ["DB"] });
});

describe("of a tool without secrets to keep", () => {
  const look = { tool: "look", args: { id: "/page" }, found: "" };
  const contractOf = (orchestration: object, ...hidden: string[]) => {
    const tool = defineTool({
      ...declareTool({ isWrite: true, actions: ["update"] }),
      input: z.strictObject({
        page: z.string().describe("Which of `a` or `b`"),
        rank: z.union([z.literal("find_page").describe("As find_page"), z.null()]),
      }),
      orchestration: { mode: "parallel-safe", ...orchestration } as never,
      run: async () => null,
    });
    return toolSchema(tool, new Set(hidden));
  };

  test("toolSchema() keeps the whole contract where it names no hidden tool, and how it is verified where that is none", () => {
    const needs = { depends_on: [{ tool: "other", required_fields: ["page"] }], verify_with: look };
    expect(contractOf(needs, "find_page")["x-orchestration"]).toMatchObject(needs);
    expect(contractOf({ verify_with: look }, "find_page")["x-orchestration"]).toMatchObject({
      verify_with: look,
    });
    const shown = contractOf(needs, "other")["x-orchestration"];
    expect(shown).toMatchObject({ verify_with: look });
    expect(shown).not.toHaveProperty("depends_on");
    const unseen = contractOf(needs, "look")["x-orchestration"];
    expect(unseen).toMatchObject({ depends_on: needs.depends_on });
    expect(unseen).not.toHaveProperty("verify_with");
    expect(contractOf({}, "find_page")["x-orchestration"]).not.toHaveProperty("verify_with");
  });

  test("toolSchema() hides names in descriptions alone, and stays the same object where it says none", () => {
    const plain = contractOf({}, "none_of_these");
    const hidden = contractOf({}, "find_page", "a", "string");
    expect(hidden["properties"]).toMatchObject({
      page: { type: "string", description: "Which of another tool or `b`" },
      rank: {
        anyOf: [{ type: "string", const: "find_page", description: "As another tool" }, { type: "null" }],
      },
    });
    expect(plain["properties"]).toMatchObject({ page: { description: "Which of `a` or `b`" } });
    const tool = defineTool(declareTool());
    expect(toolSchema(tool, new Set(["other"]))).toBe(toolSchema(tool));
    const names = new Set(["page"]);
    expect(toolSchema(tool, names)).toBe(toolSchema(tool, names));
  });

  test("toolSchema() takes an argument named 'description' for an argument", () => {
    const input = z.strictObject({ description: z.string().describe("Not that of find_page") });
    const tool = defineTool({ ...declareTool(), input, run: async () => null });
    expect(toolSchema(tool, new Set(["find_page"]))["properties"]).toEqual({
      description: { type: "string", description: "Not that of another tool" },
    });
  });

  test("hideNames() leaves plain words alone where no name tells that it is one", () => {
    expect(hideNames("look at page, 'page' or pages", new Set(["page"]))).toBe(
      "look at page, another tool or pages",
    );
  });
});
