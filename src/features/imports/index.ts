import { defineFeature } from "../../feature/define.ts";
import { importTools } from "./http/routes.ts";

/** Tenants import the operations of an OpenAPI document, or the tools of an MCP server, as tools of their own. */
export function imports() {
  return defineFeature({
    name: "imports",
    needs: ["added-tools"],
    routes: [{ for: ["manage_tools"], paths: [importTools] }],
  });
}
