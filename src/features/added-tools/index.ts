import { defineFeature } from "../../feature/define.ts";
import { addedToolsOf, compilerOf, readAll } from "./http/added-tools.ts";
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
    toolSource: { compilerOf, open: addedToolsOf, readAll },
    objectPart: () => createAddedToolsPart(),
  });
}
