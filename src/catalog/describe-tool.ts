import type { Orchestration } from "../contract/orchestration.ts";
import type { Tool } from "./define-tool.ts";
import { type JsonSchema, toolSchema } from "./tool-schema.ts";

/** Everything a model needs to call one tool. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** The properties of the schema alone. */
  readonly parameters: JsonSchema;
  readonly required: readonly string[];
  readonly is_write: boolean;
  readonly input_schema: JsonSchema;
  readonly "x-orchestration": Orchestration;
}

/** Describe one tool with its whole schema and its contract. */
export function describeTool(tool: Tool): ToolDescription {
  const schema = toolSchema(tool);
  return {
    name: tool.name,
    description: tool.description,
    parameters: (schema["properties"] ?? {}) as JsonSchema,
    required: (schema["required"] ?? []) as readonly string[],
    is_write: tool.isWrite,
    input_schema: schema,
    "x-orchestration": tool.orchestration,
  };
}
