import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens, reachTokens, weighTokens } from "../../src/answer/estimate-tokens.ts";

const FIXTURES = new URL("../fixtures/token-estimates/", import.meta.url);

/** Outputs as a tool would give them, written as the envelope writes them. */
const fixtures = readdirSync(FIXTURES).map((file) => {
  const data: unknown = JSON.parse(readFileSync(new URL(file, FIXTURES), "utf8"));
  const json = JSON.stringify(data);
  const tokens = encode(json).length;
  return { name: file.replace(".json", ""), data, json, tokens, error: estimateTokens(json) / tokens - 1 };
});

const percent = (error: number): string => `${error < 0 ? "" : "+"}${(100 * error).toFixed(1)} %`;

describe("estimateTokens()", () => {
  test.each(fixtures)("is within 15 % of o200k_base on $name", ({ name, json, tokens, error }) => {
    console.log(
      `${name.padEnd(24)} ${String(tokens).padStart(5)} tokens, ${json.length} characters: ${percent(error)}`,
    );
    expect(Math.abs(error)).toBeLessThanOrEqual(0.15);
  });

  test("is off by 5 % in the mean at most", () => {
    const mean = fixtures.reduce((sum, { error }) => sum + Math.abs(error), 0) / fixtures.length;
    console.log(`mean error ${percent(mean)} of ${fixtures.length} fixtures`);
    expect(fixtures.length).toBeGreaterThanOrEqual(12);
    expect(mean).toBeLessThanOrEqual(0.05);
  });

  test.each([
    ["", 0],
    ["null", 1],
    ["[]", 1],
    ["{}", 1],
    ["7", 1],
    ['{"places":[]}', 4],
  ])("of '%s' is %i", (json, tokens) => {
    expect(estimateTokens(json)).toBe(tokens);
  });

  test("is never 0 for text, never less for more of it, and whole", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1 }),
        fc.string({ unit: "binary" }),
        (text, more) => {
          const tokens = estimateTokens(text);
          expect(Number.isInteger(tokens) && tokens >= 1).toBe(true);
          expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(tokens);
        },
      ),
    );
  });

  test("takes hostile text in one pass", { timeout: 60_000 }, () => {
    // Looked at anew for each character this would take minutes.
    for (const unit of ["[", '"', "\\", "A", "aA", "€", "\u{1F600}", " ", "1"]) {
      expect(estimateTokens(unit.repeat(1_000_000))).toBeGreaterThanOrEqual(1);
    }
  });
});

describe("weighTokens()", () => {
  test("of an object's or array's parts adds up to that of the whole, whatever is inside", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1 }), (data) => {
        const json = JSON.stringify(data);
        let weight = weighTokens(json, 0, 1);
        let at = 1;
        for (const element of data) {
          const end = at + JSON.stringify(element).length + 1;
          weight += weighTokens(json, at, end);
          at = end;
        }
        expect(weight).toBe(weighTokens(json));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("reachTokens()", () => {
  test("goes as far as the limit allows and not one character further", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(20_000), (json, limit) => {
        const end = reachTokens(json, { from: 0, to: json.length, limit });
        expect(weighTokens(json, 0, end)).toBeLessThanOrEqual(limit);
        if (end < json.length) expect(weighTokens(json, 0, end + 1)).toBeGreaterThan(limit);
      }),
    );
  });
});
