import { readdirSync, readFileSync } from "node:fs";

import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, describe, expect, test } from "vitest";

import {
  countRoughly,
  estimateTokens,
  useTokenCounter,
  weighTokens,
} from "../../../src/core/answer/estimate-tokens.ts";
import { fitTokens } from "../../../src/core/answer/fit-tokens.ts";
import { countO200k } from "../../../src/features/tokens/count-o200k.ts";
import { trial } from "../../support/trial.ts";

const FIXTURES = new URL("../../fixtures/token-estimates/", import.meta.url);
const fixtures = readdirSync(FIXTURES).map((file) => {
  const data: unknown = JSON.parse(readFileSync(new URL(file, FIXTURES), "utf8"));
  return { name: file.replace(".json", ""), data, json: JSON.stringify(data) };
});

afterEach(() => useTokenCounter(countO200k));

describe("estimateTokens() in a Worker without the feature 'tokens'", () => {
  test.each(fixtures)("counts $name from a sixth less to twice as many as there are", ({ json }) => {
    useTokenCounter(countRoughly);
    const ratio = estimateTokens(json) / encode(json).length;
    expect(ratio).toBeGreaterThan(0.83);
    expect(ratio).toBeLessThan(2);
  });

  test("still weighs parts that add up to the whole", () => {
    useTokenCounter(countRoughly);
    for (const { data, json } of fixtures) {
      if (!Array.isArray(data)) continue;
      const parts = data.map((one) => weighTokens(`,${JSON.stringify(one)}`, 1));
      const marks = weighTokens(json) - parts.reduce((sum, part) => sum + part, 0);
      expect(marks).toBeGreaterThan(0);
    }
  });

  trial("keeps results within a budget, and never less of them with a larger one", () => {
    useTokenCounter(countRoughly);
    let before = 0;
    for (const budget of [0, 50, 200, 1_000, 5_000]) {
      const fitted = fitTokens(fixtures, budget);
      const kept = fitted.reduce((sum, { json }) => sum + json.length, 0);
      if (budget > 50) expect(fitted.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(budget);
      expect(kept).toBeGreaterThanOrEqual(before);
      before = kept;
    }
  });
});
