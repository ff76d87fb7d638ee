import { ALIASES } from "./alias.ts";
import { describeBatchTool, type ToolDescriptor } from "./batch-tool.ts";
import type { Catalog } from "./catalog.ts";
import { OPEN_BATCH_TOOL } from "./open-batch-tool.ts";
import { inputSchema, toolSchema } from "./tool-schema.ts";

/** How much of a catalog a model is told up front. */
export const TOOL_SURFACES = ["batch", "meta", "flat"] as const;

export type ToolSurface = (typeof TOOL_SURFACES)[number];

/**
 * Describe a catalog to a model: `batch` is the one tool whose schema describes every other; `meta` is the tools that
 * find, describe and call others, and a batch tool that names none, the same size for any catalog; `flat` is every tool
 * by itself.
 */
export function describeSurface(surface: ToolSurface, catalog: Catalog): readonly ToolDescriptor[] {
  switch (surface) {
    case "batch":
      return [describeBatchTool(catalog)];
    case "meta":
      return [...describeMetaTools(catalog), OPEN_BATCH_TOOL];
    case "flat":
      return catalog.tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        inputSchema: toolSchema(tool),
      }));
  }
}

/** Their contracts are left out: what a read that sends nothing promises is of no use to a model, and costs tokens. */
function describeMetaTools(catalog: Catalog): readonly ToolDescriptor[] {
  return [...catalog.metaTools.values(), ...ALIASES.values()].map((callable) => ({
    name: callable.name,
    description: callable.description,
    inputSchema: inputSchema(callable),
  }));
}
