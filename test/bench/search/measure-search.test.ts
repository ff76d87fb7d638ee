import { describe, expect, test } from "vitest";

import { createCatalog } from "../../../src/catalog/catalog.ts";
import { toUnits } from "../../../src/catalog/language/to-terms.ts";
import { toWords } from "../../../src/catalog/language/to-words.ts";
import { stem } from "../../../src/catalog/language/stem.ts";
import { readCatalogue } from "../../fixtures/catalogue/read-catalogue.ts";
import { readQueries } from "../../fixtures/catalogue/read-queries.ts";
import { measureSearch } from "./measure-search.ts";

const catalog = createCatalog(readCatalogue());
const queries = readQueries();
describe("the catalogue of the search benchmark", () => {
  test("has at least 300 tools in many categories and naming styles, each with at least two fields", () => {
    expect(catalog.tools.length).toBeGreaterThanOrEqual(300);
    expect(catalog.byCategory.size).toBeGreaterThanOrEqual(25);
    for (const style of [/^[a-z]+(?:_[a-z]+)+$/, /^[a-z]+(?:-[a-z]+)+$/, /^[a-z]+(?:[A-Z][a-z]+)+$/])
      expect(catalog.names.filter((name) => style.test(name)).length).toBeGreaterThan(30);
  });

  test("has at least 150 requests, 40 that share no word with their tool's name or summary, 20 that no tool fits", () => {
    const count = (kind: string): number => queries.filter((query) => query.kind === kind).length;
    expect(count("plain") + count("paraphrase")).toBeGreaterThanOrEqual(150);
    expect(count("paraphrase")).toBeGreaterThanOrEqual(40);
    expect(count("nothing")).toBeGreaterThanOrEqual(20);
    expect(new Set(queries.map(({ text }) => text)).size).toBe(queries.length);
  });

  test("asks only for tools that it has", () => {
    expect(
      queries.flatMap(({ expected }) => expected).filter((name) => catalog.get(name) === undefined),
    ).toEqual([]);
  });

  test("has paraphrases whose words are none of their tool's name and summary", () => {
    const shared = queries
      .filter(({ kind }) => kind === "paraphrase")
      .filter(({ text, expected }) => {
        const asked = text.split(/\s+/).flatMap((word) => toUnits(word).map((unit) => unit.stem));
        return expected.some((name) => {
          const words = toWords(`${name} ${catalog.get(name)!.summary}`);
          return asked.some((word) => word !== null && words.map(stem).includes(word));
        });
      });
    expect(shared.map(({ text }) => text)).toEqual([]);
  });
});

describe("discovery, on the benchmark's requests,", () => {
  test.each([
    { set: "tuning", recallAt3: 0.9, meanReciprocalRank: 0.86, falsePositives: 0.16 },
    { set: "held-out", recallAt3: 0.83, meanReciprocalRank: 0.81, falsePositives: 0.11 },
    { set: "exam", recallAt3: 0.8, meanReciprocalRank: 0.78, falsePositives: 0.39 },
  ] as const)("finds what is meant, and seldom something where nothing is: $set", (floor) => {
    const { recallAt3, meanReciprocalRank, falsePositives } = measureSearch(
      catalog,
      queries.filter(({ set }) => set === floor.set),
    );
    expect(recallAt3).toBeGreaterThanOrEqual(floor.recallAt3);
    expect(meanReciprocalRank).toBeGreaterThanOrEqual(floor.meanReciprocalRank);
    expect(falsePositives).toBeLessThanOrEqual(floor.falsePositives);
  });
});
