import { checkAtStart } from "../../src/core/catalog/check-describable.ts";
import { type Catalog, createCatalog as create } from "../../src/core/catalog/catalog.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { checkConfirm, holdsCall } from "../../src/features/confirmations/conditions.ts";
import { DISCOVERY } from "../../src/features/discovery/meta-tools.ts";

/** A catalog with the tools that find others, as a Worker has it that lists `discovery`. */
export function createCatalog(tools: readonly Tool[]): Catalog {
  return create(tools, DISCOVERY, { checks: [checkConfirm, checkAtStart], holds: holdsCall });
}
