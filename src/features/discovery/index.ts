import { checkDescribable } from "../../core/catalog/check-describable.ts";
import { DISCOVERY } from "./meta-tools.ts";
import { invokeTool } from "./http/invoke-tool.ts";
import { listTools } from "./http/list-tools.ts";
import { answerDiscovery, answerToolSchema } from "./http/meta-tools.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/**
 * Tools are listed, found, described and called by name: `GET /v1/tools`, and `discover_tools`, `get_tool_schema` and `invoke_tool` as
 * paths and as actions.
 */
export function discovery(): Feature {
  return {
    name: "discovery",
    router: routerOf("any key", [answerDiscovery, answerToolSchema, invokeTool, listTools]),
    discovery: DISCOVERY,
    checkTool: checkDescribable,
  };
}
