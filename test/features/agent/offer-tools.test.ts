import { expect, test } from "vitest";

import { offerTools } from "../../../src/features/agent/offer-tools.ts";
import { estimateTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { describeBatchTool } from "../../../src/features/discovery/batch-tool.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

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

trial(
  "auto is one tool for all while its schema has 4,000 tokens at most, and the tools that find others beyond",
  () => {
    const names = (count: number): readonly string[] =>
      offerTools("auto", createCatalog(Array.from({ length: count }, (_, n) => contractOf(`tool_${n}`)))).map(
        ({ name }) => name,
      );
    expect(names(3)).toEqual(["execute_actions"]);
    expect(names(200)).toEqual(offerTools("meta", catalogOf("a")).map(({ name }) => name));
    const tokensOf = (count: number): number => {
      const catalog = createCatalog(Array.from({ length: count }, (_, n) => contractOf(`tool_${n}`)));
      return estimateTokens(JSON.stringify(describeBatchTool(catalog).inputSchema));
    };
    const most = Array.from({ length: 200 }, (_, n) => n + 1).findLast((count) => tokensOf(count) <= 4_000)!;
    expect(names(most)).toEqual(["execute_actions"]);
    expect(names(most + 1).length).toBeGreaterThan(1);
  },
);
