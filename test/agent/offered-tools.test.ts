import { expect, test } from "vitest";

import { offerTools } from "../../src/agent/offered-tools.ts";
import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { contractOf } from "../support/fake-actions.ts";

const catalogOf = (name: string) => createCatalog([contractOf(name)]);

test("what a model is offered of a catalog is described once for each surface", () => {
  const catalog = catalogOf("a");
  const flat = offerTools("flat", catalog);
  expect(flat.map(({ name }) => name)).toContain("a");
  expect(offerTools("flat", catalog)).toBe(flat);
  expect(offerTools("batch", catalog)).not.toBe(flat);
  expect(offerTools("flat", catalog)).toBe(flat);
  expect(offerTools("flat", catalogOf("a"))).not.toBe(flat);
});

test("of the catalogs that were not asked for longest nothing is remembered", () => {
  const catalogs = Array.from({ length: 9 }, (_, n) => catalogOf(`t${n}`));
  const first = catalogs.slice(0, 8).map((catalog) => offerTools("flat", catalog));
  // Asked for again, so it is not the oldest any more.
  expect(offerTools("flat", catalogs[0]!)).toBe(first[0]);
  offerTools("flat", catalogs[8]!);
  expect(offerTools("flat", catalogs[0]!)).toBe(first[0]);
  for (const at of [2, 3, 4, 5, 6, 7]) expect(offerTools("flat", catalogs[at]!)).toBe(first[at]);
  expect(offerTools("flat", catalogs[1]!)).not.toBe(first[1]);
});
