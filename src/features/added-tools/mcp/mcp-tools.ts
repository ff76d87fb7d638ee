import * as LIMITS from "../limits.ts";
import { toTool } from "../declared/to-tool.ts";
import type { Tool } from "../../../feature/tool.ts";
import { callMcpTool } from "./call-mcp-tool.ts";
import { type ListedTool, readListedTool, type Unusable } from "./listed-tool.ts";
import { type McpImport, toMcpDeclarations } from "./to-mcp-declarations.ts";

/** A server of the operator's own choice, and its list of tools as it was when somebody looked. */
export interface McpToolsOptions extends McpImport {
  /** As the server lists them; `npm run mcp:list` prints them. */
  readonly tools: readonly unknown[];
}

/**
 * Make tools of an MCP server's, for a Worker of one's own. The list is data, because a Worker that starts can ask no server; a
 * tool that the server describes otherwise by the time it is called is `TOOL_CHANGED`. A tool that cannot be declared throws at
 * start-up with its name and the reason, as `defineTool` does.
 *
 * The secret that `auth` names is the operator's own and needs no binding.
 */
export function mcpTools({ tools, ...source }: McpToolsOptions): Tool[] {
  const listed: ListedTool[] = [];
  const unusable: Unusable[] = [];
  for (const entry of tools) {
    const read = readListedTool(entry);
    if (read.ok) listed.push(read.value);
    else unusable.push(read.error);
  }
  const { declarations, skipped } = toMcpDeclarations({ tools: listed, unusable }, source);
  const problems = skipped.map(({ operation, reason }) => `'${operation}': ${reason}`);
  if (tools.length > LIMITS.mcpServerTools)
    problems.push(`one server may have ${LIMITS.mcpServerTools} tools, received ${tools.length}`);
  if (problems.length > 0)
    throw new Error(
      `Cannot make tools of the MCP server's:\n${problems.map((each) => `  - ${each}`).join("\n")}`,
    );
  return declarations.map((declaration) => toTool(declaration, { secrets: null, callMcp: callMcpTool }));
}
