import { expect, test } from "vitest";

import { describeBatchTool } from "../../src/catalog/batch-tool.ts";
import { toolSchema } from "../../src/catalog/tool-schema.ts";
import { actionSchema } from "../../src/contract/action.ts";
import { batchSchema } from "../../src/contract/batch.ts";
import { SAMPLE_CATALOG, SAMPLE_TOOLS } from "../support/sample-tools.ts";

interface Described {
  readonly properties: {
    readonly actions: {
      readonly minItems: number;
      readonly maxItems: number;
      readonly items: {
        readonly anyOf: readonly {
          readonly properties: Readonly<Record<string, object>>;
          readonly required: readonly string[];
          readonly "x-orchestration": unknown;
        }[];
      };
    };
  };
}

const descriptor = describeBatchTool(SAMPLE_CATALOG);
const schema = descriptor.inputSchema as unknown as Described;
const branches = schema.properties.actions.items.anyOf;

test("describeBatchTool() describes one tool that lists every tool with its summary", () => {
  expect(descriptor.name).toBe("execute_actions");
  for (const { name, summary } of SAMPLE_TOOLS)
    expect(descriptor.description).toContain(`- ${name}: ${summary}`);
});

test("describeBatchTool() has one branch per tool, told apart by its name", () => {
  expect(branches.map(({ properties }) => properties["tool"])).toEqual(
    SAMPLE_TOOLS.map(({ name }) => ({ const: name })),
  );
});

test("describeBatchTool() carries each contract once, beside the arguments", () => {
  expect(branches.map((branch) => branch["x-orchestration"])).toEqual(
    SAMPLE_TOOLS.map(({ orchestration }) => orchestration),
  );
  for (const { properties } of branches) expect(properties["args"]).not.toHaveProperty("x-orchestration");
});

test("describeBatchTool() describes a tool's arguments as the tool does", () => {
  for (const [index, tool] of SAMPLE_TOOLS.entries())
    expect(toolSchema(tool)).toMatchObject(branches[index]!.properties["args"]!);
});

test("describeBatchTool() requires args only of tools that require an argument", () => {
  expect(branches.map(({ required }) => required.includes("args"))).toEqual([true, true, true, false]);
});

test("describeBatchTool() offers exactly the fields that a batch and an action may have", () => {
  expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(batchSchema.shape).sort());
  for (const { properties } of branches)
    expect(Object.keys(properties).sort()).toEqual(Object.keys(actionSchema.shape).sort());
});

test("describeBatchTool() says the bounds that a batch is checked against", () => {
  expect(schema.properties).toMatchObject({
    actions: { minItems: 1, maxItems: 50 },
    on_error: { enum: ["partial-success", "fail-fast"], default: "partial-success" },
    deadline_ms: { type: "integer", minimum: 1, maximum: 60_000, default: 15_000 },
    dry_run: { type: "boolean", default: false },
    max_tokens: { type: "integer", minimum: 1, maximum: 2_000_000 },
  });
  for (const { properties } of branches) {
    expect(properties["for_each"]).toMatchObject({ anyOf: [{ type: "array", maxItems: 25 }, {}] });
    expect(properties["select"]).toMatchObject({ minItems: 1, maxItems: 50 });
  }
});

test("describeBatchTool() says how one action refers to another's data", () => {
  expect(descriptor.description).toContain('{"$ref": "id#/pointer"}');
  expect(descriptor.description).toContain('{"$template": "text {{id#/pointer}}"}');
});

test("describeBatchTool() tells a restricted caller of no other tool", () => {
  const text = JSON.stringify(describeBatchTool(SAMPLE_CATALOG.restrictTo(["search_orders"])));
  expect(text).toContain("search_orders");
  for (const name of ["get_order", "delete_order", "send-receipt"]) expect(text).not.toContain(name);
});
