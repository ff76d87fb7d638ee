import { checkAtStart, defineFeature } from "../../feature/define.ts";
import { answerDiscovery, answerToolSchema, invokeTool, listTools } from "./http/routes.ts";
import { DISCOVERY } from "./meta-tools.ts";

/**
 * Tools are listed, found, described and called by name: `GET /v1/tools`, and `discover_tools`, `get_tool_schema` and `invoke_tool` as
 * paths and as actions.
 */
export function discovery() {
  return defineFeature({
    name: "discovery",
    routes: [{ for: "any key", paths: [answerDiscovery, answerToolSchema, invokeTool, listTools] }],
    discovery: DISCOVERY,
    checks: [checkAtStart],
  });
}
