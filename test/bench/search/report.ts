import type { Catalog } from "../../../src/catalog/catalog.ts";
import { type CatalogueQuery, QUERY_SETS, type QuerySet } from "../../fixtures/catalogue/read-queries.ts";
import { measureSearch, type SearchFigures } from "./measure-search.ts";

const HEAD = ["| requests | number | recall@1 | recall@3 | MRR |", "|---|---:|---:|---:|---:|"];

/** Say how well each set is answered, as lines of Markdown tables: what fits a tool, then what fits none. */
export function reportSearch(catalog: Catalog, queries: readonly CatalogueQuery[]): string[] {
  const measure = (set: QuerySet, kind?: string): SearchFigures =>
    measureSearch(
      catalog,
      queries.filter((query) => query.set === set && (kind === undefined || query.kind === kind)),
    );
  const row = (set: QuerySet, label: string, kind?: string): string => {
    const { queries: count, recallAt1, recallAt3, meanReciprocalRank } = measure(set, kind);
    const figures = [recallAt1, recallAt3, meanReciprocalRank].map((figure) => figure.toFixed(2));
    return `| ${set}, ${label} | ${count} | ${figures.join(" | ")} |`;
  };
  const noise = (set: QuerySet): string => {
    const { unfit, falsePositives } = measure(set);
    return `| ${set} | ${unfit} | ${Math.round(100 * falsePositives)} % |`;
  };
  return [
    ...HEAD,
    ...QUERY_SETS.flatMap((set) => [
      row(set, "all"),
      row(set, "that share a word with their tool", "plain"),
      row(set, "that share none with its name or summary", "paraphrase"),
      row(set, "in an agent's words", "agent"),
    ]),
    "",
    "| requests that no tool fits | number | answered all the same |",
    "|---|---:|---:|",
    ...QUERY_SETS.map(noise),
  ];
}
