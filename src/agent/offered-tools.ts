import type { ToolDescriptor } from "../catalog/batch-tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { describeSurface, type ToolSurface } from "../catalog/tool-surface.ts";

/** Catalogs whose descriptions an isolate remembers: a few busy keys, a quarter of a megabyte each. */
const REMEMBERED = 8;

const described = new Map<Catalog, Map<ToolSurface, readonly ToolDescriptor[]>>();

/**
 * Describe what a model is offered of a catalog. A catalog never changes, so it is described once, and whoever writes the
 * description in a dialect can tell by its identity that it did before.
 */
export function offerTools(surface: ToolSurface, catalog: Catalog): readonly ToolDescriptor[] {
  const surfaces = described.get(catalog) ?? new Map<ToolSurface, readonly ToolDescriptor[]>();
  const known = surfaces.get(surface) ?? describeSurface(surface, catalog);
  surfaces.set(surface, known);
  // Set again at the end: the first is the one that was not asked for longest.
  described.delete(catalog);
  described.set(catalog, surfaces);
  const [oldest] = described.keys();
  if (described.size > REMEMBERED && oldest !== undefined) described.delete(oldest);
  return known;
}
