import { readCatalogue } from "../../../test/fixtures/catalogue/read-catalogue.ts";
import { readQueries } from "../../../test/fixtures/catalogue/read-queries.ts";
import type { SearchCase } from "./search-case.ts";

/** The catalogue of everyday tools that this repository keeps, with its requests. */
export function readOwnCatalogue(): SearchCase {
  return {
    name: "ours",
    tools: readCatalogue(),
    requests: readQueries().map(({ text, expected }) => ({ text, needs: expected, anyOf: true })),
  };
}
