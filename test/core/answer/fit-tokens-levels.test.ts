import { describe, expect, test } from "vitest";

import { estimateTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { fitTokens, leastJson } from "../../../src/core/answer/fit-tokens.ts";
import { trial } from "../../support/trial.ts";

const toResult = (data: unknown) => ({ json: JSON.stringify(data), data });
const fit = (maxTokens: number, ...data: unknown[]) => fitTokens(data.map(toResult), maxTokens);
/** The tokens of each result: the part of the budget that it uses. */
const partsOf = (maxTokens: number, ...data: unknown[]): number[] =>
  fit(maxTokens, ...data).map(({ tokens }) => tokens);

const words = (count: number): string => "word ".repeat(count).trim();
const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
/** Nothing of it can be used in part. */
const LINK = { link: `https://example.com/${"a-long-path/".repeat(80)}` };

describe("fitTokens() gives equal parts", () => {
  test.each([
    ["small", 500],
    ["large", 5_000],
  ])(
    "of its budget to equal results, and what is over to the first of them, where they are %s",
    (_, count) => {
      const same = [words(count), words(count), words(count)];
      expect(partsOf(100, ...same)).toEqual([34, 33, 33]);
      expect(partsOf(101, ...same)).toEqual([34, 34, 33]);
      expect(partsOf(102, ...same)).toEqual([34, 34, 34]);
      expect(partsOf(103, ...same)).toEqual([35, 34, 34]);
    },
  );

  test("and gives what is over to a result that still wants it", () => {
    const [whole] = partsOf(1_000, ones(16));
    expect(whole).toBe(33);
    expect(partsOf(100, ones(16), words(8_000), words(8_000))).toEqual([33, 34, 33]);
  });

  trial("in steps of what cannot be divided", () => {
    for (const count of [500, 15_000]) {
      const same = [ones(count), ones(count), ones(count)];
      for (const maxTokens of [100, 101, 102]) expect(partsOf(maxTokens, ...same)).toEqual([33, 33, 33]);
      expect(partsOf(103, ...same)).toEqual([35, 33, 33]);
      expect(partsOf(104, ...same)).toEqual([35, 35, 33]);
    }
  });

  test("of nothing where there is no budget", () => {
    const same = [ones(500), ones(500)];
    for (const maxTokens of [0, 1, 2]) expect(partsOf(maxTokens, ...same)).toEqual([1, 1]);
    expect(fit(0)).toEqual([]);
  });

  test("and leaves what a small result needs less to the others", () => {
    const [small, ...large] = fit(100, { ok: true }, words(500), words(500));
    expect(small).toEqual({ ...toResult({ ok: true }), tokens: estimateTokens('{"ok":true}') });
    const half = (100 - small!.tokens) / 2;
    expect(large.map(({ tokens }) => tokens)).toEqual([Math.ceil(half), Math.floor(half)]);
  });
});

describe("fitTokens() leaves what a result cannot use", () => {
  test("to the others where the texts are small, in steps of a tenth", () => {
    for (const [maxTokens, parts] of [
      [50, [23, 1, 24]],
      [60, [29, 1, 29]],
      [80, [37, 1, 38]],
      [100, [49, 1, 50]],
      [130, [61, 1, 61]],
    ] as const)
      expect([maxTokens, partsOf(maxTokens, ones(300), LINK, words(100))]).toEqual([maxTokens, parts]);
  });

  trial("unused where trying would take long: more than 64 KiB of texts together", () => {
    for (const [maxTokens, parts] of [
      [50, [17, 1, 16]],
      [100, [33, 1, 33]],
      [400, [133, 1, 133]],
    ] as const)
      expect([maxTokens, partsOf(maxTokens, ones(35_000), LINK, words(1_000))]).toEqual([maxTokens, parts]);
    const linked = toResult(LINK);
    // `"` and `"` and the words between them.
    const toBound = 64 * 1024 - linked.json.length - 2;
    expect(partsOf(100, "w ".repeat(toBound / 2 + 1).slice(0, toBound), LINK)[0]).toBeGreaterThan(90);
    expect(partsOf(100, "w ".repeat(toBound / 2 + 1).slice(0, toBound + 1), LINK)[0]).toBeLessThan(51);
  });

  trial("only as far as all of it is within the budget", () => {
    for (let maxTokens = 24; maxTokens < 500; maxTokens += 7) {
      const sum = partsOf(maxTokens, words(200), LINK, ones(50)).reduce((a, b) => a + b, 0);
      expect(sum).toBeLessThanOrEqual(maxTokens);
      expect(sum).toBeGreaterThan(Math.min(200, 0.7 * maxTokens));
    }
  });
});

describe("fitTokens() says of a result", () => {
  test("nothing where it is whole, and shares its data", () => {
    const data = { places: [1, 2, 3] };
    const [whole] = fit(100, data);
    expect(whole).toEqual({ ...toResult(data), tokens: estimateTokens(JSON.stringify(data)) });
    expect(whole!.data).toBe(data);
    // To the token.
    const tokens = estimateTokens(JSON.stringify(data));
    expect(fit(tokens, data)[0]).not.toHaveProperty("truncated");
    expect(fit(tokens - 1, data)[0]).toHaveProperty("truncated");
  });

  test("what is missing, and how many tokens it had and has", () => {
    const data = { rows: ones(100), about: words(300), last: 1 };
    const [cut] = fit(200, data);
    const kept = cut!.data as typeof data;
    expect(cut).toEqual({
      json: JSON.stringify(kept),
      data: kept,
      tokens: estimateTokens(JSON.stringify(kept)),
      truncated: {
        tokens_before: estimateTokens(JSON.stringify(data)),
        tokens_after: cut!.tokens,
        elements_dropped: 100 - kept.rows.length,
        fields_dropped: 0,
        characters_dropped: data.about.length - (kept.about.length - 1),
        at: ["/rows", "/about"],
      },
    });
    expect(kept.last).toBe(1);
  });

  test("what its text says, whatever the tool returned besides", () => {
    const data = { at: new Date(0), gone: undefined, rows: ones(200) };
    const [cut] = fitTokens([{ json: JSON.stringify(data), data }], 100);
    expect(cut!.data).toMatchObject({ at: "1970-01-01T00:00:00.000Z" });
    expect(cut!.data).not.toHaveProperty("gone");
    expect(cut!.json).toBe(JSON.stringify(cut!.data));
  });

  test("by the estimate that it is given", () => {
    const asked: string[] = [];
    const json = JSON.stringify(ones(200));
    const tokensOf = (text: string): number => {
      asked.push(text);
      return 10;
    };
    expect(fitTokens([{ json, data: ones(200) }], 10, tokensOf)[0]).toMatchObject({ json, tokens: 10 });
    expect(asked).toEqual([json]);
    expect(fitTokens([{ json, data: ones(200) }], 9, tokensOf)[0]!.truncated!.tokens_before).toBe(10);
  });
});

test.each([
  ["[1]", "[]"],
  ['{"a":1}', "{}"],
  ['"text"', '""'],
  ["12", "null"],
  ["true", "null"],
  ["null", "null"],
])("leastJson() of %s is %s", (json, least) => {
  expect(leastJson(json)).toBe(least);
});
