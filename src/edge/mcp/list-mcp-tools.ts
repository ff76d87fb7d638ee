import type { ListToolsResult } from "@modelcontextprotocol/server";

import { describeBatchTool } from "../../catalog/batch-tool.ts";
import { toolSchema } from "../../catalog/tool-schema.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { LIMITS } from "../../contract/limits.ts";
import { toToolList } from "../../formats/tool-list.ts";
import type { McpSurface } from "./mcp-surface.ts";

/** One page of the tools that a key is offered; null when the cursor is none that was given. */
export function listMcpTools(
  catalog: Catalog,
  surface: McpSurface,
  cursor: string | undefined,
): ListToolsResult | null {
  const flat = catalog.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: toolSchema(tool),
  }));
  const tools = toToolList(
    [describeBatchTool(catalog), ...(surface === "flat" ? flat : [])],
    "mcp",
  ) as ListToolsResult["tools"];
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0 || from >= Math.max(1, tools.length)) return null;
  const next = from + LIMITS.toolListPage;
  return { tools: tools.slice(from, next), ...(next < tools.length && { nextCursor: String(next) }) };
}
