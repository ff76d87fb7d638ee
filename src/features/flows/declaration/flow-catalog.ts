import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { FlowBatch, Tool } from "../../../core/catalog/define-tool.ts";

const parts = new WeakMap<FlowBatch, WeakMap<Catalog, Catalog>>();

/**
 * The part of a catalog that a flow sees: its actions call, and discovery among them finds, no tool that the key which kept the
 * flow may not call. The catalog given belongs to the caller that runs the flow, so a run sees the tools that both may call.
 *
 * The part is made once for a flow and a catalog, because it has a search index of its own.
 */
export function catalogOfFlow({ flow }: Pick<Tool, "flow">, { ofFlows: catalog }: Catalog): Catalog {
  if (flow === undefined) return catalog;
  let known = parts.get(flow);
  if (known === undefined) parts.set(flow, (known = new WeakMap()));
  let part = known.get(catalog);
  if (part === undefined) known.set(catalog, (part = catalog.restrictTo(flow.tools)));
  return part;
}
