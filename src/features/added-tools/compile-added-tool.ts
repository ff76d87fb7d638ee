import type { Declaration } from "./declared/declaration.ts";
import type { ToolSecrets } from "./declared/secret-bindings.ts";
import { toTool } from "./declared/to-tool.ts";
import type { Tool } from "../../core/catalog/define-tool.ts";
import { callMcpTool } from "./mcp/call-mcp-tool.ts";
import { getOrMake, makeRoom } from "../../core/kit/get-or-make.ts";

/** As many as one batch may call: an alarm that runs jobs needs the same few again. */
const KEPT = 50;

/**
 * Create what makes tools of declarations and flows as they are kept. The tool of one declaration stays the same object, so
 * that what is known of its upstream stays known, as long as no more than a few others were asked for since.
 */
export function createCompiler(
  secrets: ToolSecrets,
  toFlowTool?: (kept: object) => Tool,
): (json: string) => Tool {
  const made = new Map<string, Tool>();
  return (json) =>
    getOrMake(made, json, () => {
      const kept = JSON.parse(json) as object;
      const isFlow = toFlowTool !== undefined && "flow" in kept;
      const tool = isFlow ? toFlowTool(kept) : toTool(kept as Declaration, { secrets, callMcp: callMcpTool });
      makeRoom(made, KEPT);
      return tool;
    });
}
