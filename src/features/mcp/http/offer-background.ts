import { BATCH_TOOL } from "../../../core/catalog/alias.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import type { ToolPage } from "./list-mcp-tools.ts";

const BACKGROUND = {
  type: "boolean",
  description: "Run it as a task: for long lists and slow tools, where the results may come later",
};

/** Offer batches in the background, to a client that has their results by a task: `execute_actions` has one more field. */
export function offerBackground({ tools, ...page }: ToolPage): ToolPage {
  return {
    ...page,
    tools: tools.map((tool) => {
      if (tool.name !== BATCH_TOOL || !("inputSchema" in tool) || !isJsonObject(tool.inputSchema))
        return tool;
      const { inputSchema } = tool;
      const properties = { ...(inputSchema["properties"] as object), background: BACKGROUND };
      return { ...tool, inputSchema: { ...inputSchema, properties } };
    }),
  };
}
