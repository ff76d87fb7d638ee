import * as z from "zod/mini";

import { lazySchema, type Written } from "../../core/contract/lazy-schema.ts";
import { orchestrationSchema } from "../../core/contract/orchestration.ts";
import type { Tool } from "../../core/catalog/define-tool.ts";
import { hideNames, type JsonSchema, NOTHING_HIDDEN, toolSchema } from "../../core/catalog/tool-schema.ts";

/** A schema in an answer. */
export const jsonSchemaSchema = lazySchema(() => z.looseObject({}).check(z.describe("JSON Schema, 2020-12")));

/** Everything a model needs to call one tool. */
export const toolDescriptionSchema = lazySchema(() =>
  z
    .strictObject({
      name: z.string(),
      description: z.string(),
      /** The properties of the schema alone. */
      parameters: jsonSchemaSchema(),
      required: z.array(z.string()),
      is_write: z.boolean(),
      input_schema: jsonSchemaSchema(),
      "x-orchestration": orchestrationSchema(),
    })
    .register(z.globalRegistry, { id: "ToolDescription" }),
);

export type ToolDescription = Written<typeof toolDescriptionSchema>;

/**
 * Describe one tool with its whole schema and its contract.
 *
 * @param hidden names of tools that must not be said to the description's reader
 */
export function describeTool(tool: Tool, hidden = NOTHING_HIDDEN): ToolDescription {
  const schema = toolSchema(tool, hidden);
  return {
    name: tool.name,
    description: hideNames(tool.description, hidden),
    parameters: (schema["properties"] ?? {}) as JsonSchema,
    required: (schema["required"] ?? []) as readonly string[],
    is_write: tool.isWrite,
    input_schema: schema,
    "x-orchestration": schema["x-orchestration"] as ToolDescription["x-orchestration"],
  };
}
