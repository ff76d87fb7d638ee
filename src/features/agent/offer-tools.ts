import { roughTokens } from "../../core/answer/estimate-tokens.ts";
import { describeBatchTool, type ToolDescriptor } from "../discovery/batch-tool.ts";
import type { Catalog } from "../../feature/tool.ts";
import { describeSurface, type ToolSurface } from "../discovery/tool-surface.ts";
import { getOrMake, makeRoom } from "../../core/kit/get-or-make.ts";
import * as LIMITS from "./limits.ts";
import { toToolList } from "../discovery/tool-list.ts";

/** A surface, or the one that suits a catalog's size. */
export type OfferedSurface = ToolSurface | "auto";

/** Catalogs whose descriptions an isolate remembers: a few busy keys, a quarter of a megabyte each. */
const REMEMBERED = 8;

const described = new Map<Catalog, Map<OfferedSurface, readonly ToolDescriptor[]>>();

/**
 * Describe the tools of a catalog that a model is offered. A catalog never changes, so it is described once, and a dialect that
 * has written a description can tell it by its identity.
 */
export function offerTools(surface: OfferedSurface, catalog: Catalog): readonly ToolDescriptor[] {
  const surfaces = described.get(catalog) ?? new Map<OfferedSurface, readonly ToolDescriptor[]>();
  // Set again at the end: the first is the one that was not asked for longest.
  described.delete(catalog);
  makeRoom(described, REMEMBERED);
  described.set(catalog, surfaces);
  return getOrMake(surfaces, surface, () =>
    describeSurface(surface === "auto" ? fitSurface(catalog) : surface, catalog),
  );
}

/** One tool that describes all of them, while its schema is small enough to be sent with each request. */
function fitSurface(catalog: Catalog): ToolSurface {
  const schema = JSON.stringify(describeBatchTool(catalog).inputSchema);
  return roughTokens(schema) <= LIMITS.agentSchemaTokens ? "batch" : "meta";
}

type Format = "openai" | "openai-responses" | "anthropic";

type Written = Partial<Record<Format, readonly unknown[]>>;

const written = new WeakMap<readonly ToolDescriptor[], Written>();

/** Write tools in a provider's dialect, once for each description: the same list is the same text in every request. */
export function listTools(tools: readonly ToolDescriptor[], format: Format): readonly unknown[] {
  const known = getOrMake(written, tools, (): Written => ({}));
  return (known[format] ??= toToolList(tools, format));
}
