import type { Catalog } from "../../core/catalog/catalog.ts";
import { utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "./limits.ts";

/** The share of the bytes that fit which is tried: tools are not of one size, so a list of as many might be too large again. */
const SHARE = 0.9;

/**
 * Write a list of tools, of the first of them only where all would be too large.
 *
 * @param write writes a list, and how many tools are missing in it
 */
export function fitTools(catalog: Catalog, write: (shown: Catalog, leftOut: number) => string): string {
  const { tools } = catalog;
  let count = tools.length;
  let list = write(catalog, 0);
  for (let bytes = utf8Length(list); bytes > LIMITS.toolListBytes && count > 0; bytes = utf8Length(list)) {
    count = Math.floor((count * SHARE * LIMITS.toolListBytes) / bytes);
    const shown = new Set(tools.slice(0, count));
    list = write(
      catalog.only((tool) => shown.has(tool)),
      tools.length - count,
    );
  }
  return list;
}
