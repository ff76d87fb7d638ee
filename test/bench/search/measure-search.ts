import { discoverTools } from "../../../src/catalog/discover-tools.ts";
import type { Catalog } from "../../../src/catalog/catalog.ts";
import type { CatalogueQuery } from "../../fixtures/catalogue/read-queries.ts";

/** How well a set of queries is answered. */
export interface SearchFigures {
  readonly queries: number;
  /** Share of the queries with a right tool in the first place, and in the first three. */
  readonly recallAt1: number;
  readonly recallAt3: number;
  /** Mean of 1 / place of the first right tool among the ten listed. */
  readonly meanReciprocalRank: number;
  /** Queries that no tool fits, and the share of them that were answered with one all the same. */
  readonly unfit: number;
  readonly falsePositives: number;
}

/** Ask a catalog everything and count how often it was right. */
export function measureSearch(catalog: Catalog, queries: readonly CatalogueQuery[]): SearchFigures {
  const fit = queries.filter(({ kind }) => kind !== "nothing");
  const unfit = queries.filter(({ kind }) => kind === "nothing");
  const places = fit.map((query) => placeOf(query, catalog));
  const within = (limit: number): number => share(places, (place) => place <= limit);
  return {
    queries: fit.length,
    recallAt1: within(1),
    recallAt3: within(3),
    meanReciprocalRank: places.reduce((sum, place) => sum + 1 / place, 0) / Math.max(1, places.length),
    unfit: unfit.length,
    falsePositives: share(unfit, ({ text }) => namesFor(text, catalog).length > 0),
  };
}

/** The place of the first right tool, from 1; infinite when it is not among the ten that are listed. */
export function placeOf({ text, expected }: CatalogueQuery, catalog: Catalog): number {
  const place = namesFor(text, catalog).findIndex((name) => expected.includes(name));
  return place === -1 ? Number.POSITIVE_INFINITY : place + 1;
}

/** What discovery lists for a query. */
export function namesFor(query: string, catalog: Catalog): readonly string[] {
  return discoverTools({ query, limit: 10 }, catalog).tools.map(({ name }) => name);
}

function share<T>(all: readonly T[], isCounted: (one: T) => boolean): number {
  return all.length === 0 ? 0 : all.filter(isCounted).length / all.length;
}
