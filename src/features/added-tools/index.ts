import { defineFeature } from "../../feature/define.ts";
import { addedToolsOf, loadCompiler, readAll } from "./http/added-tools.ts";
import { createAddedToolsPart } from "./objects/tool-table.ts";
import { deleteTool, putTool, showTool } from "./http/routes.ts";

export type { AddedToolsPart, ToolTable } from "./objects/tool-table.ts";

/** Tenants add tools while the Worker runs: `PUT`, `GET` and `DELETE /v1/tools/{name}`. */
export function addedTools() {
  return defineFeature({
    name: "added-tools",
    needs: ["discovery"],
    flags: { manage_tools: "Can add tools and flows" },
    variables: { VOLLEY_TOOL_SECRETS: {}, VOLLEY_TOOL_PORTS: {} },
    routes: [{ for: ["manage_tools"], paths: [showTool, putTool, deleteTool] }],
    toolSource: { loadCompiler, open: addedToolsOf, readAll },
    objectPart: () => createAddedToolsPart(),
    load: () =>
      Promise.all([
        import("./json-schema/weigh-pattern.ts"),
        import("./compile-added-tool.ts"),
        import("./json-schema/check-schema.ts"),
        import("./json-schema/to-input.ts"),
        import("./put-tool.ts"),
        import("./declared/parse-declaration.ts"),
        import("./mcp/list-tools.ts"),
        import("./mcp/to-mcp-declarations.ts"),
        import("./tool-registry.ts"),
      ]),
  });
}
