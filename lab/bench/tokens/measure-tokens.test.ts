import { expect, test } from "vitest";

import { TOOL_FORMATS } from "../../../src/features/discovery/tool-list.ts";
import { readCatalogue } from "../../../test/fixtures/catalogue/read-catalogue.ts";
import { sample, SIZES, tokensOf } from "./measure-tokens.ts";
import { trial } from "../../../test/support/trial.ts";

const tools = readCatalogue();

test.each(TOOL_FORMATS)(
  "surface=meta costs at most 700 tokens in %s, the same for any number of tools",
  (format) => {
    const costs = SIZES.map((size) => tokensOf(sample(tools, size), "meta", format));

    expect(costs[0]).toBeLessThanOrEqual(700);
    expect(new Set(costs).size).toBe(1);
  },
);

trial.each(TOOL_FORMATS)(
  "surface=meta costs at least 95 % less than surface=flat at 100 tools in %s",
  (format) => {
    const hundred = sample(tools, 100);
    expect(tokensOf(hundred, "meta", format)).toBeLessThanOrEqual(0.05 * tokensOf(hundred, "flat", format));
  },
);

test("surface=batch costs at most 1.3 times what surface=flat does at 100 tools in OpenAI's format", () => {
  const hundred = sample(tools, 100);
  expect(tokensOf(hundred, "batch", "openai")).toBeLessThanOrEqual(1.3 * tokensOf(hundred, "flat", "openai"));
});
