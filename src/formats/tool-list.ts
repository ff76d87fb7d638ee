import type { ToolDescriptor } from "../catalog/batch-tool.ts";

/** The dialects in which tools can be listed. */
export const TOOL_FORMATS = ["json-schema", "openai", "mcp"] as const;

export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** Write tools in a provider's dialect, ready to paste into a model call. */
export function toToolList(tools: readonly ToolDescriptor[], format: ToolFormat): unknown[] {
  switch (format) {
    case "json-schema":
      return tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      }));
    case "openai":
      return tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      }));
    case "mcp":
      return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }
}
