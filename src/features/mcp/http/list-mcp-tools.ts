import type { Catalog } from "../../../core/catalog/catalog.ts";
import { describeSurface, type ToolSurface } from "../../discovery/tool-surface.ts";
import * as LIMITS from "../limits.ts";
import { toToolList } from "../../discovery/tool-list.ts";

/** A page of tools, and what to ask for to get the next. */
export interface ToolPage {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

/**
 * One page of the tools that a key is offered; null when the cursor is none that was given. Whatever the surface, the
 * tools that find others and the one that runs many are there.
 */
export function listMcpTools(
  catalog: Catalog,
  surface: ToolSurface,
  cursor: string | undefined,
): ToolPage | null {
  const page = LIMITS.toolListPage;
  const offered = describeOffer(catalog, surface);
  const from = cursor === undefined ? 0 : Number(cursor);
  // A cursor that was never given is refused, also where a number could be made of it.
  if (cursor !== undefined && (cursor !== String(from) || from <= 0 || from % page !== 0)) return null;
  if (from >= offered.length) return null;
  const next = from + page;
  const tools = toToolList(offered.slice(from, next), "mcp") as ToolPage["tools"];
  return { tools, ...(next < offered.length && { nextCursor: String(next) }) };
}

function describeOffer(catalog: Catalog, surface: ToolSurface) {
  const meta = describeSurface("meta", catalog);
  if (surface === "meta") return meta;
  const described = describeSurface(surface, catalog);
  const names = new Set(described.map(({ name }) => name));
  return [...meta.filter(({ name }) => !names.has(name)), ...described];
}
