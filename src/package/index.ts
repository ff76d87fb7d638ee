/**
 * The parts of a Worker of one's own: `import { createVolley, defineTool } from "volley"`. In plain Node it loads too, and makes
 * everything but a Worker.
 */
export { defineTool } from "../catalog/define-tool.ts";
export { httpTool } from "../catalog/declared/http-tool.ts";
export { mcpTools } from "../catalog/mcp/mcp-tools.ts";
export { createVolley } from "../edge/create-volley.ts";
export { openApiTools } from "../features/imports/openapi/open-api-tools.ts";

export type { HttpToolDeclaration } from "../catalog/declared/http-tool.ts";
export type {
  ProgressReport,
  Tool,
  ToolCaller,
  ToolContext,
  ToolDeclaration,
  ToolLog,
  UpstreamRequest,
  UpstreamResponse,
} from "../catalog/define-tool.ts";
export type { McpToolsOptions } from "../catalog/mcp/mcp-tools.ts";
export type { Orchestration } from "../contract/orchestration.ts";
export type { App } from "../edge/app.ts";
export type { Volley } from "../edge/create-volley.ts";
export type { VolleyOptions } from "../edge/deployment.ts";
export type { ObjectClass } from "../edge/platform/object-class.ts";
export type { ImportOptions } from "../features/imports/openapi/import-options.ts";
