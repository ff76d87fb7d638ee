import { describe, expect, test } from "vitest";
import * as z from "zod";

import { toAnnotations } from "../../../src/features/discovery/annotations.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { describeSurface, OPEN_BATCH_TOOL } from "../../../src/features/discovery/tool-surface.ts";
import { toolSchema } from "../../../src/core/catalog/tool-schema.ts";
import { actionForm } from "../../../src/core/contract/action.ts";
import { batchForm } from "../../../src/core/contract/batch.ts";
import { SAMPLE_CATALOG, SAMPLE_TOOLS } from "../../support/sample-tools.ts";

const META = ["discover_tools", "get_tool_schema", "invoke_tool", "execute_actions"];

describe("describeSurface()", () => {
  test("gives every tool by itself, its contract beside its schema and as hints", () => {
    expect(describeSurface("flat", SAMPLE_CATALOG)).toEqual(
      SAMPLE_TOOLS.map((tool) => ({
        name: tool.name,
        description: tool.description,
        inputSchema: toolSchema(tool),
        annotations: toAnnotations(tool),
      })),
    );
    expect(describeSurface("flat", createCatalog([]))).toEqual([]);
  });

  test("gives the meta-tools and a batch tool, the same for any catalog", () => {
    const surface = describeSurface("meta", SAMPLE_CATALOG);
    expect(surface.map(({ name }) => name)).toEqual(META);
    expect(describeSurface("meta", createCatalog([]))).toEqual(surface);
  });

  test("gives one tool that describes all of them", () => {
    expect(describeSurface("batch", SAMPLE_CATALOG).map(({ name }) => name)).toEqual(["execute_actions"]);
  });

  test.each(META)("gives %s a schema that stands by itself", (name) => {
    const { inputSchema } = describeSurface("meta", SAMPLE_CATALOG).find((tool) => tool.name === name)!;
    expect(inputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
    expect(JSON.stringify(inputSchema)).not.toMatch(/"\$(?:schema|defs|ref)":/);
  });
});

describe("the batch tool that describes no tool", () => {
  const { properties } = OPEN_BATCH_TOOL.inputSchema as unknown as {
    readonly properties: { readonly actions: { readonly items: { readonly properties: object } } };
  };

  test("names only fields that a batch and an action have", () => {
    const { items } = properties.actions;
    expect(Object.keys(batchForm.schema().shape)).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(actionForm.schema().shape)).toEqual(
      expect.arrayContaining(Object.keys(items.properties)),
    );
  });

  test("takes a batch with references and loops", () => {
    const schema = z.fromJSONSchema(OPEN_BATCH_TOOL.inputSchema);
    const batch = {
      actions: [
        { id: "a", tool: "search_orders", args: { query: "tea" } },
        {
          tool: "get_order",
          for_each: { $ref: "a#/ids" },
          args: { order_id: { $ref: "item#" } },
          select: ["/x"],
        },
      ],
      on_error: "fail-fast",
    };
    expect(schema.safeParse(batch).success).toBe(true);
    expect(schema.safeParse({ actions: [{ args: {} }] }).success).toBe(false);
  });
});
