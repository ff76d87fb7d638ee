import { estimateTokens, useTokenCounter } from "../../src/core/answer/estimate-tokens.ts";
import { countO200k } from "../../src/features/tokens/count-o200k.ts";
import { createCatalog } from "../../src/core/catalog/catalog.ts";
import * as LIMITS from "../../src/features/agent/limits.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { DISCOVERY } from "../../src/features/discovery/meta-tools.ts";
import {
  describeSurface,
  TOOL_SURFACES,
  type ToolSurface,
} from "../../src/features/discovery/tool-surface.ts";

/** Say what a catalogue costs a model in each of its requests, and what to do where that is much. */
export function sayCost(tools: readonly Tool[]): string {
  useTokenCounter(countO200k);
  const catalog = createCatalog(tools, DISCOVERY);
  const cost = (surface: ToolSurface): number =>
    Math.round(estimateTokens(JSON.stringify(describeSurface(surface, catalog))) / 10) * 10;
  const costs = TOOL_SURFACES.map((surface) => ({ surface, tokens: cost(surface) }));
  const said = `Told to a model in every request: ${costs.map(({ surface, tokens }) => `${surface} ${tokens.toLocaleString("en-US")}`).join(", ")} tokens.`;
  const large = costs.filter(({ tokens }) => tokens > LIMITS.agentSchemaTokens).map(({ surface }) => surface);
  if (large.length === 0) return said;
  const most = LIMITS.agentSchemaTokens.toLocaleString("en-US");
  return `${said}
Warning: more than ${most} tokens for ${large.join(" and ")}. Ask with surface=meta, or give the key fewer tools: docs/discovery.md.
The agent loop and /mcp choose meta by themselves.`;
}
