/**
 * The parts of a Worker of one's own: `import { createVolley, defineTool } from "volley"`. In plain Node it loads too, and makes
 * everything but a Worker.
 */
export { defineTool } from "../core/catalog/define-tool.ts";
export { httpTool } from "../features/added-tools/declared/http-tool.ts";
export { mcpTools } from "../features/added-tools/mcp/mcp-tools.ts";
export { createVolley } from "../cloudflare/create-volley.ts";
export { openApiTools } from "../features/imports/openapi/open-api-tools.ts";

export type { HttpToolDeclaration } from "../features/added-tools/declared/http-tool.ts";
export type {
  ProgressReport,
  Tool,
  ToolCaller,
  ToolContext,
  ToolDeclaration,
  ToolLog,
  UpstreamRequest,
  UpstreamResponse,
} from "../core/catalog/define-tool.ts";
export type { McpToolsOptions } from "../features/added-tools/mcp/mcp-tools.ts";
export type { Orchestration } from "../core/contract/orchestration.ts";
export type { App } from "../cloudflare/app.ts";
export type { Volley } from "../cloudflare/create-volley.ts";
export type { VolleyOptions } from "../cloudflare/deployment.ts";
export type { ObjectClass } from "../cloudflare/platform/object-class.ts";
export type { ImportOptions } from "../features/imports/openapi/import-options.ts";
