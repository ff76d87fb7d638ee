import type { JsonObject } from "../../feature/schema.ts";
import {
  ALIASES,
  BATCH_BOUNDS,
  BATCH_TOOL,
  type Catalog,
  type Tool,
  inputSchema,
  toolSchema,
  hideNames,
} from "../../feature/tool.ts";
import { toAnnotations, type ToolAnnotations } from "./annotations.ts";
import { CALLS_OTHERS, describeBatchTool, type ToolDescriptor } from "./batch-tool.ts";

/** How much of a catalog a model is told up front. */
export const TOOL_SURFACES = ["batch", "meta", "flat"] as const;

export type ToolSurface = (typeof TOOL_SURFACES)[number];

/**
 * Describe a catalog to a model: `batch` is the one tool whose schema describes every other; `meta` is the tools that
 * find, describe and call others, and a batch tool that names none, the same size for any catalog; `flat` is every tool
 * by itself.
 */
export function describeSurface(surface: ToolSurface, catalog: Catalog): readonly ToolDescriptor[] {
  switch (surface) {
    case "batch":
      return [describeBatchTool(catalog)];
    case "meta":
      return [...describeMetaTools(catalog), OPEN_BATCH_TOOL];
    case "flat":
      return catalog.tools.map((tool) => ({
        name: tool.name,
        description: hideNames(tool.description, catalog.hidden),
        inputSchema: toolSchema(tool, catalog.hidden),
        annotations: toAnnotations(tool),
      }));
  }
}

/** Their contracts are left out: what a read that sends nothing promises is of no use to a model, and costs tokens. */
function describeMetaTools(catalog: Catalog): readonly ToolDescriptor[] {
  const metaTools = [...catalog.metaTools.values()].map((tool) => toDescriptor(tool, toAnnotations(tool)));
  return [...metaTools, ...[...ALIASES.values()].map((alias) => toDescriptor(alias, CALLS_OTHERS))];
}

function toDescriptor(
  callable: Pick<Tool, "name" | "description" | "input">,
  annotations: ToolAnnotations,
): ToolDescriptor {
  const { name, description } = callable;
  return { name, description, inputSchema: toBrief(inputSchema(callable)), annotations };
}

/** Bounds that a model seldom meets; the refusal names them when it does. */
const BOUNDS = new Set([
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minimum",
  "default",
  "propertyNames",
  "additionalProperties",
]);

/** A schema in as few tokens as say which fields there are and of which types: it is paid for in every request. */
function toBrief(schema: JsonObject): JsonObject {
  const brief = Object.entries(schema).filter(([key]) => !BOUNDS.has(key));
  return Object.fromEntries(
    brief.map(([key, value]) => {
      if (key === "items") return [key, toBrief(value as JsonObject)];
      if (key !== "properties") return [key, value];
      const fields = Object.entries(value as Readonly<Record<string, JsonObject>>);
      return [key, Object.fromEntries(fields.map(([name, inner]) => [name, toBrief(inner)]))];
    }),
  );
}

/**
 * Describe `execute_actions` without describing any tool: for a model that finds its tools as it needs them. It is the
 * same call, told in as few words as let a model write a batch, because this text is paid for in every request.
 */
export const OPEN_BATCH_TOOL: ToolDescriptor = {
  name: BATCH_TOOL,
  description:
    'Call several tools at once. In args, {"$ref": "id#/items/0/id"} is that value of another action\'s data, ' +
    '{"$template": "Hi {{id#/name}}"} is text with such values; the action waits for the other. One result per ' +
    "action, in order. 'error' and 'skipped' did not happen: never guess their data. 'initiated' goes on in the " +
    "background.",
  inputSchema: {
    type: "object",
    properties: {
      actions: {
        type: "array",
        maxItems: BATCH_BOUNDS.actions,
        items: {
          type: "object",
          properties: {
            tool: { type: "string" },
            args: { type: "object" },
            id: { type: "string" },
            depends_on: { type: "array", items: { type: "string" } },
            for_each: { description: 'Array or $ref: once per element, {"$ref": "item#/x"} in args' },
            select: {
              type: "array",
              items: { type: "string" },
              description: "JSON Pointers",
            },
          },
          required: ["tool"],
        },
      },
      on_error: { type: "string", enum: ["partial-success", "fail-fast"] },
      max_tokens: { type: "integer", description: "Budget for all data" },
    },
    required: ["actions"],
  },
  annotations: CALLS_OTHERS,
};
