import { createCatalog } from "../../../test/support/create-catalog.ts";
import { ToolSearch } from "../../../src/features/discovery/search/tool-search.ts";
import type { SearchCase } from "./search-case.ts";

/** How well the requests of a catalogue are answered. */
export interface SearchFigures {
  readonly name: string;
  readonly tools: number;
  readonly requests: number;
  /** The share of the needed tools among the first so many, averaged over the requests. */
  readonly recallAt: Readonly<Record<1 | 3 | 10, number>>;
}

const DEPTHS = [1, 3, 10] as const;

/** Ask a catalogue everything. A request for several tools can have at most as many as are looked at. */
export function measureSearch({ name, tools, requests }: SearchCase): SearchFigures {
  const search = new ToolSearch(createCatalog(tools).tools);
  const sums = { 1: 0, 3: 0, 10: 0 };
  for (const { text, needs, anyOf = false } of requests) {
    const found = search.find(text).map((tool) => tool.name);
    for (const depth of DEPTHS) {
      const first = new Set(found.slice(0, depth));
      const hits = needs.filter((need) => first.has(need)).length;
      sums[depth] += anyOf ? Math.min(1, hits) : hits / needs.length;
    }
  }
  const share = (depth: 1 | 3 | 10): number => sums[depth] / requests.length;
  return {
    name,
    tools: tools.length,
    requests: requests.length,
    recallAt: { 1: share(1), 3: share(3), 10: share(10) },
  };
}
