import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { importTools } from "./http/endpoints.ts";

/** Tenants import the operations of an OpenAPI document, or the tools of an MCP server, as tools of their own. */
export function imports(): Feature {
  return {
    name: "imports",
    needs: ["added-tools"],
    router: routerOf(["manage_tools"], [importTools]),
    load: () =>
      Promise.all([
        import("js-yaml"),
        import("./openapi/read-document.ts"),
        import("./openapi/to-declarations.ts"),
      ]),
  };
}
