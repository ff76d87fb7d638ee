import { encode } from "gpt-tokenizer/encoding/o200k_base";

import { createCatalog } from "../../../test/support/create-catalog.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { describeSurface, TOOL_SURFACES } from "../../../src/features/discovery/tool-surface.ts";
import { type ToolFormat, toToolList } from "../../../src/features/discovery/tool-list.ts";

/** The sizes of catalog that are compared. */
export const SIZES = [5, 15, 100, 300];

/** The cost of a catalog's surface to a model each time: the tokens (o200k) of its list of tools as JSON. */
export function tokensOf(
  tools: readonly Tool[],
  surface: (typeof TOOL_SURFACES)[number],
  format: ToolFormat,
): number {
  return encode(JSON.stringify(toToolList(describeSurface(surface, createCatalog(tools)), format))).length;
}

/** So many tools of a list, spread evenly over it. */
export function sample(tools: readonly Tool[], size: number): readonly Tool[] {
  return Array.from({ length: size }, (_, at) => tools[Math.floor((at * tools.length) / size)]!);
}

/** The costs of every surface at every size, as lines of a Markdown table. */
export function reportTokens(tools: readonly Tool[], format: ToolFormat): string[] {
  const row = (size: number): string => {
    const [batch, meta, flat] = TOOL_SURFACES.map((surface) =>
      tokensOf(sample(tools, size), surface, format),
    );
    const saved = (100 * (1 - meta! / flat!)).toFixed(1);
    const say = (tokens: number): string => tokens.toLocaleString("en-US");
    return `| ${size} | ${say(flat!)} | ${say(batch!)} | ${say(meta!)} | ${saved} % |`;
  };
  return [
    "| tools | `flat` | `batch` | `meta` | `meta` below `flat` |",
    "|---:|---:|---:|---:|---:|",
    ...SIZES.map(row),
  ];
}
