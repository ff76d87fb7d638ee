import { expect, test } from "vitest";

import { sayCost } from "../../scripts/catalogue/say-cost.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";

test("A catalogue of more than 4,000 tokens is warned of, with the surface that costs less", () => {
  const said = sayCost(SHIPPED_TOOLS);
  expect(said).toMatch(
    /batch \d,\d{3}, meta \d{3}, flat \d,\d{3} tokens\.\nWarning: more than 4,000 tokens for batch and flat\./,
  );
  expect(said).toContain("surface=meta");
});

test("A small catalogue is counted without a warning", () => {
  expect(sayCost(SHIPPED_TOOLS.slice(0, 2))).toMatch(/^Told to a model in every request: .* tokens\.$/);
});
