import type { Catalog } from "../../../src/catalog/catalog.ts";
import type { CatalogueQuery } from "../../fixtures/catalogue/read-queries.ts";
import { measureSearch, type SearchFigures } from "./measure-search.ts";

const HEAD = ["| requests | number | recall@1 | recall@3 | MRR |", "|---|---:|---:|---:|---:|"];

/** Say how well each half is answered, as lines of Markdown tables: what fits a tool, then what fits none. */
export function reportSearch(catalog: Catalog, queries: readonly CatalogueQuery[]): string[] {
  const measure = (half: string, kind?: string): SearchFigures =>
    measureSearch(
      catalog,
      queries.filter((query) => query.half === half && (kind === undefined || query.kind === kind)),
    );
  const row = (half: string, label: string, kind?: string): string => {
    const { queries: count, recallAt1, recallAt3, meanReciprocalRank } = measure(half, kind);
    const figures = [recallAt1, recallAt3, meanReciprocalRank].map((figure) => figure.toFixed(2));
    return `| ${half}, ${label} | ${count} | ${figures.join(" | ")} |`;
  };
  const noise = (half: string): string => {
    const { unfit, falsePositives } = measure(half);
    return `| ${half} | ${unfit} | ${Math.round(100 * falsePositives)} % |`;
  };
  const halves = ["tuning", "held-out"];
  return [
    ...HEAD,
    ...halves.flatMap((half) => [
      row(half, "all"),
      row(half, "that share a word with their tool", "plain"),
      row(half, "that share none", "paraphrase"),
      row(half, "in an agent's words", "agent"),
    ]),
    "",
    "| requests that no tool fits | number | answered all the same |",
    "|---|---:|---:|",
    ...halves.map(noise),
  ];
}
