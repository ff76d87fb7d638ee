import * as z from "zod/mini";
import { strictSchema } from "../../feature/schema.ts";
import { ToolFailure, type Catalog, type Tool, defineTool, sayUnknownTool } from "../../feature/tool.ts";
import { describeTool, discoverTools, discoverySchema } from "./discover-tools.ts";
import { ToolSearch } from "./search/tool-search.ts";

export const schemaRequestSchema = strictSchema(() => ({
  tool_name: z.string().check(z.minLength(1), z.describe("From discover_tools")),
}));

const ABOUT_THE_CATALOG = {
  category: "discovery",
  isWrite: false,
  hosts: [],
  orchestration: { mode: "parallel-safe" },
} as const;

/** Make the tools that answer from a catalog itself: no request, no secret, nothing but what the catalog shows. */
function createMetaTools(catalog: Catalog): readonly Tool[] {
  return [
    defineTool({
      ...ABOUT_THE_CATALOG,
      name: "discover_tools",
      summary: "Find tools by what they do, by category or by action",
      description:
        "Find tools by what they do, by category or by action. Lists names and summaries, best first.",
      actions: ["search"],
      typicalTokens: 500,
      input: discoverySchema(),
      run: async (request) => discoverTools(request, catalog),
    }),
    defineTool({
      ...ABOUT_THE_CATALOG,
      name: "get_tool_schema",
      summary: "Show the arguments that a tool takes",
      description: "Show the arguments a tool takes and how it may be called.",
      actions: ["read"],
      typicalTokens: 400,
      input: schemaRequestSchema(),
      run: async ({ tool_name }) => {
        const tool = catalog.callable(tool_name);
        if (tool !== undefined) return describeTool(tool, catalog);
        throw new ToolFailure("UNKNOWN_TOOL", { hint: sayUnknownTool(tool_name, catalog.names, true) });
      },
    }),
  ];
}

/** Tools that find and describe the others, with a full-text index. */
export const DISCOVERY = {
  metaToolsOf: createMetaTools,
  createSearch: (tools: readonly Tool[]) => new ToolSearch(tools),
};
