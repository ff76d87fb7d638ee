import { addedToolsOf, loadCompiler } from "./http/added-tools.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { readAll } from "./read-all.ts";
import { createAddedToolsPart } from "./objects/added-tools-part.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { deleteTool, putTool, showTool } from "./http/endpoints.ts";

/** Tenants add tools while the Worker runs: `PUT`, `GET` and `DELETE /v1/tools/{name}`. */
export function addedTools(): Feature {
  return {
    name: "added-tools",
    needs: ["discovery"],
    router: routerOf(["manage_tools"], [showTool, putTool, deleteTool]),
    keptTools: { loadCompiler, open: addedToolsOf, readAll },
    objectPart: () => createAddedToolsPart(),
  };
}
