import { addedToolsOf, loadCompiler, readAll } from "./http/added-tools.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { createAddedToolsPart } from "./objects/added-tools-part.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { deleteTool, putTool, showTool } from "./http/endpoints.ts";

/** Tenants add tools while the Worker runs: `PUT`, `GET` and `DELETE /v1/tools/{name}`. */
export function addedTools(): Feature {
  return {
    name: "added-tools",
    needs: ["discovery"],
    flags: { manage_tools: "May keep tools and flows" },
    variables: { VOLLEY_TOOL_SECRETS: {}, VOLLEY_TOOL_PORTS: {} },
    router: routerOf(["manage_tools"], [showTool, putTool, deleteTool]),
    keptTools: { loadCompiler, open: addedToolsOf, readAll },
    objectPart: () => createAddedToolsPart(),
    load: () =>
      Promise.all([
        import("./declared/pattern-work.ts"),
        import("./compile-added-tool.ts"),
        import("./json-schema/check-schema.ts"),
        import("./json-schema/to-input.ts"),
        import("./keep-tool.ts"),
        import("./declared/parse-declaration.ts"),
        import("./mcp/list-server.ts"),
        import("./mcp/to-mcp-declarations.ts"),
        import("./tool-registry.ts"),
      ]),
  };
}
