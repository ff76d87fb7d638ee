import type { Catalog } from "../core/catalog/catalog.ts";
import { attempt } from "../core/kit/result.ts";
import type { Execution } from "../core/gate/execution.ts";

/**
 * The same with a catalog that knows the names that a caller has sent, if there are such tools: where this isolate does not know one
 * of them, the tenant's object is asked at once, because somebody may have added it a moment ago elsewhere.
 */
export async function seekNames<E extends Pick<Execution, "catalog" | "currentCatalog">>(
  execution: E,
  isKnown: (catalog: Catalog) => boolean,
): Promise<E> {
  if (isKnown(execution.catalog)) return execution;
  const current = await attempt(() => execution.currentCatalog(true));
  return current.ok ? { ...execution, catalog: current.value } : execution;
}
