import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Tool } from "../../core/catalog/define-tool.ts";

/** Why a tool makes no bodies; null where it does: it is a flow, writes nothing and asks no person. */
export function findViaFlaw(tool: Tool | undefined): "unknown" | "writes" | "asks" | null {
  if (tool?.flow === undefined) return "unknown";
  if (tool.isWrite) return "writes";
  return tool.confirm ? "asks" : null;
}

/** The catalog, without the flow of this name unless it makes bodies. */
export function readsOnly(via: string, catalog: Catalog): Catalog {
  return findViaFlaw(catalog.get(via)) === null ? catalog : catalog.only(({ name }) => name !== via);
}
