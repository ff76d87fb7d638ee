import { Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import * as z from "zod";

import { effectiveContract } from "../../../src/core/catalog/tool-schema.ts";
import { describeBatchTool } from "../../../src/features/discovery/batch-tool.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { actionForm } from "../../../src/core/contract/action.ts";
import { batchForm } from "../../../src/core/contract/batch.ts";
import { declareTool, SAMPLE_CATALOG, SAMPLE_TOOLS } from "../../support/sample-tools.ts";

interface Action {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

interface Branch {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly description: string;
  readonly "x-orchestration": unknown;
}

interface Described {
  readonly properties: {
    readonly actions: {
      readonly minItems: number;
      readonly maxItems: number;
      readonly items: Action & { readonly anyOf: readonly Branch[] };
    };
  };
}

const descriptor = describeBatchTool(SAMPLE_CATALOG);
const schema = descriptor.inputSchema as unknown as Described;
const action = schema.properties.actions.items;
const branches = action.anyOf;

test("describeBatchTool() describes one tool, in as many words for any catalog as every provider takes", () => {
  expect(descriptor.name).toBe("execute_actions");
  expect(descriptor.description).toBe(
    describeBatchTool(SAMPLE_CATALOG.restrictTo(["search_orders"])).description,
  );
  expect(descriptor.description.length).toBeLessThanOrEqual(1_024);
});

test("describeBatchTool() describes every tool in its branch", () => {
  expect(branches.map(({ description }) => description)).toEqual(
    SAMPLE_TOOLS.map(({ description }) => description),
  );
});

test("describeBatchTool() has one branch per tool, told apart by its name", () => {
  expect(branches.map(({ properties }) => properties["tool"])).toEqual(
    SAMPLE_TOOLS.map(({ name }) => ({ const: name })),
  );
});

test("describeBatchTool() carries each contract once, beside the arguments", () => {
  expect(branches.map((branch) => branch["x-orchestration"])).toEqual(
    SAMPLE_TOOLS.map((tool) => effectiveContract(tool)),
  );
  for (const { properties } of branches) expect(properties["args"]).not.toHaveProperty("x-orchestration");
});

test("describeBatchTool() describes a tool's arguments as the tool does, each or a marker in its place", () => {
  expect(branches[0]!.properties["args"]).toEqual({
    type: "object",
    properties: {
      query: { $ref: "#/$defs/string", minLength: 1 },
      limit: { $ref: "#/$defs/integer", minimum: 1, maximum: 50, default: 10 },
    },
    required: ["query"],
    additionalProperties: false,
  });
});

test("describeBatchTool() requires args only of tools that require an argument no contract fills in", () => {
  expect(action.required).toEqual(["tool"]);
  expect(branches.map(({ required }) => required)).toEqual([["args"], undefined, ["args"], undefined]);
});

/** The schema of a batch's actions when there is only a tool with this input. */
function actionsOf(input: z.ZodType) {
  const tool = defineTool({ ...declareTool(), input, run: async () => null });
  const { inputSchema } = describeBatchTool(createCatalog([tool]));
  const whole = new Validator(inputSchema, "2020-12");
  return (args: unknown, fields = {}) =>
    whole.validate({ actions: [{ tool: "ping", args, ...fields }] }).valid;
}

const REF = { $ref: "a#/b" };
const accepts = actionsOf(
  z.strictObject({
    name: z.string().describe("A name"),
    list: z.array(z.strictObject({ n: z.int() })).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    any: z.unknown().optional(),
    byKey: z.record(z.string(), z.int()).optional(),
    day: z.iso.date().optional(),
    size: z.enum(["s", "m"]).optional(),
    nested: z.strictObject({ $ref: z.string() }).optional(),
  }),
);

test.each<[string, object]>([
  ["a plain value", { name: "x" }],
  ["a reference", { name: REF }],
  ["a template", { name: { $template: "{{a#/b}}!" } }],
  ["a literal", { name: "x", any: { $literal: REF } }],
  ["a reference to an array", { name: "x", list: REF }],
  ["a reference to an element", { name: "x", list: [{ n: 1 }, REF] }],
  ["a reference inside an element", { name: "x", list: [{ n: REF }] }],
  ["a reference in place of several types", { name: "x", either: REF }],
  ["a reference where anything goes", { name: "x", any: REF }],
  ["a reference in place of a text with a pattern", { name: "x", day: REF }],
  ["a reference in place of a choice", { name: "x", size: REF }],
  ["an object that only looks like a reference", { name: "x", nested: { $literal: REF } }],
  ["a reference under a key of its own", { name: "x", byKey: { k: REF } }],
])("describeBatchTool() gives a schema that takes %s", (_, args) => {
  expect(accepts(args)).toBe(true);
});

test.each<[string, object]>([
  ["a wrong type", { name: 7 }],
  ["a missing argument", {}],
  ["an unknown argument", { name: "x", other: REF }],
  ["an object that is no marker", { name: { ref: "a#/b" } }],
  ["a marker with other keys", { name: { $ref: "a#/b", else: 1 } }],
  ["a marker of two kinds", { name: { $ref: "a#/b", $template: "x" } }],
  ["a template where no text goes", { name: "x", list: { $template: "x" } }],
  ["a literal in place of text", { name: { $literal: {} } }],
  ["a text off its pattern", { name: "x", day: "today" }],
  ["a choice that there is not", { name: "x", size: "l" }],
  ["a wrong type inside an element", { name: "x", list: [{ n: "1" }] }],
])("describeBatchTool() gives a schema that still refuses %s", (_, args) => {
  expect(accepts(args)).toBe(false);
});

test("describeBatchTool() gives a schema that takes loops over arrays and references, and no other marker", () => {
  const loop = (for_each: unknown): boolean => accepts({ name: { $ref: "item#" } }, { for_each });
  expect([[1, 2], REF, { $template: "x" }, {}].map(loop)).toEqual([true, true, false, false]);
});

test("describeBatchTool() says beside the marker what an argument is", () => {
  const input = z.strictObject({ name: z.string().describe("A name"), any: z.any().describe("Anything") });
  const tool = defineTool({ ...declareTool(), input, run: async () => null });
  const { properties } = describeBatchTool(createCatalog([tool])).inputSchema as unknown as Described;
  expect(properties.actions.items.anyOf[0]!.properties["args"]).toMatchObject({
    properties: {
      name: { $ref: "#/$defs/string", description: "A name" },
      any: { description: "Anything" },
    },
  });
});

test("describeBatchTool() describes actions of any name when there are no tools", () => {
  const { description, inputSchema } = describeBatchTool(createCatalog([]));
  expect(description).toContain("There are no tools to call.");
  const { items } = (inputSchema as unknown as Described).properties.actions;
  expect(items).toMatchObject({ properties: { tool: { type: "string" } }, required: ["tool"] });
  expect(items).not.toHaveProperty("anyOf");
});

test("describeBatchTool() offers exactly the fields that a batch and an action may have, but no way past a person, and none that is the caller's", () => {
  // Tags, an address to tell, a stream's progress and the receipt of a plan that was shown are for programs. A batch in the background is offered by a hint, where one helps:
  // a Worker without that feature refuses the field, and a model that only reads the answer would not see the results.
  const callers = ["skip_approval", "tags", "callback_url", "progress", "background", "plan_receipt"];
  const fields = Object.keys(batchForm.schema().shape).filter((name) => !callers.includes(name));
  expect(Object.keys(schema.properties).sort()).toEqual(fields.sort());
  expect(Object.keys(action.properties).sort()).toEqual(Object.keys(actionForm.schema().shape).sort());
});

test("describeBatchTool() says of which tools the end can be told elsewhere, and of no other", () => {
  expect(branches.map(({ properties }) => "callback_url" in properties)).toEqual(
    SAMPLE_TOOLS.map(({ execution }) => execution === "fire-and-forget"),
  );
});

test("describeBatchTool() says the bounds that a batch is checked against", () => {
  expect(schema.properties).toMatchObject({
    actions: { minItems: 1, maxItems: 50 },
    on_error: { enum: ["partial-success", "fail-fast"], default: "partial-success" },
    deadline_ms: { type: "integer", minimum: 1, maximum: 60_000, default: 15_000 },
    dry_run: { type: "boolean", default: false },
    max_tokens: { type: "integer", minimum: 1, maximum: 2_000_000 },
  });
  expect(action.properties["for_each"]).toMatchObject({
    anyOf: [{ type: "array", items: {}, maxItems: 25 }, {}],
  });
  expect(action.properties["select"]).toMatchObject({ minItems: 1, maxItems: 50 });
});

test("describeBatchTool() says how one action refers to another's data", () => {
  expect(descriptor.description).toContain('{"$ref": "id#/pointer"}');
  expect(descriptor.description).toContain('{"$template": "text {{id#/pointer}}"}');
  expect(descriptor.description).toContain('{"id": {"$ref": "found#/items/0/id"}}');
});

test("describeBatchTool() tells a restricted caller of no other tool", () => {
  const text = JSON.stringify(describeBatchTool(SAMPLE_CATALOG.restrictTo(["search_orders"])));
  expect(text).toContain("search_orders");
  for (const name of ["get_order", "delete_order", "send-receipt"]) expect(text).not.toContain(name);
});
