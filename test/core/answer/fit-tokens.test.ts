import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { type FittableResult, fitTokens } from "../../../src/core/answer/fit-tokens.ts";
import { samples } from "../../support/samples.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { trial } from "../../support/trial.ts";

const FIXTURES = new URL("../../fixtures/token-estimates/", import.meta.url);
const fixtures = readdirSync(FIXTURES).map((file): unknown =>
  JSON.parse(readFileSync(new URL(file, FIXTURES), "utf8")),
);

const toResult = (data: unknown): FittableResult => ({ json: JSON.stringify(data), data });
const fit = (maxTokens: number, ...data: unknown[]) => fitTokens(data.map(toResult), maxTokens);

/** The tokens of nothing, of the value's kind. */
function leastTokens(value: unknown): number {
  if (Array.isArray(value)) return estimateTokens("[]");
  if (isObject(value)) return estimateTokens("{}");
  return estimateTokens(typeof value === "string" ? '""' : "null");
}

/** Tell whether `kept` is `original`, or its head: fewer elements, fewer fields, shorter strings, and nothing else. */
function isHead(kept: unknown, original: unknown): boolean {
  if (typeof kept === "string" && typeof original === "string") {
    return kept === original || kept === "" || (kept.endsWith("…") && original.startsWith(kept.slice(0, -1)));
  }
  if (Array.isArray(kept) && Array.isArray(original)) {
    return kept.length <= original.length && kept.every((element, index) => isHead(element, original[index]));
  }
  if (isObject(kept) && isObject(original)) {
    const names = Object.keys(original);
    return Object.keys(kept).every(
      (name, index) => name === names[index] && isHead(kept[name], original[name]),
    );
  }
  return Object.is(kept, original);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Count the elements, fields and characters that are missing, at the places where something was cut. */
function countMissing(kept: unknown, original: unknown): [number, number, number] {
  if (typeof kept === "string" && typeof original === "string") {
    return [0, 0, kept === original ? 0 : original.length - Math.max(0, kept.length - 1)];
  }
  if (typeof kept !== "object" || kept === null) return [0, 0, 0];
  const [inKept, inOriginal] = [Object.entries(kept), Object.entries(original as object)];
  const missing = inOriginal.length - inKept.length;
  const counts: [number, number, number] = Array.isArray(kept) ? [missing, 0, 0] : [0, missing, 0];
  for (const [index, [, value]] of inKept.entries()) {
    const inside = countMissing(value, inOriginal[index]![1]);
    for (const k of [0, 1, 2] as const) counts[k] += inside[k];
  }
  return counts;
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc
    .array(fc.constantFrom("the", "fuel", "pump\n", "may", "fail,", "“größer”", "燃料", "🚗", "\\", '"x"'), {
      maxLength: 120,
    })
    .map((words) => words.join(" ")),
  fc.nat(400).map((length) => "x0Zq/+".repeat(length).slice(0, length)),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie("value"), { maxLength: 12 }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 40, noNullPrototype: true }),
  ),
}));
const someValue = fc.oneof(anyValue, fc.constantFrom(...fixtures));
/** The value as JSON keeps it, with fields in the order in which they are read back. */
const jsonValue = someValue.map((value): unknown => JSON.parse(JSON.stringify(value)));
const batch = fc.array(jsonValue, { minLength: 1, maxLength: 5 });
const RUNS = { numRuns: samples(100) };

describe("fitTokens()", () => {
  trial(
    "keeps valid JSON whose parts are the original's or the head of them, and counts what is missing",
    () => {
      fc.assert(
        fc.property(batch, fc.nat(1_500), (data, maxTokens) => {
          for (const [index, { json, data: kept, tokens, truncated }] of fit(maxTokens, ...data).entries()) {
            expect(kept).toEqual(JSON.parse(json));
            expect(tokens).toBe(estimateTokens(json));
            if (json === "null") continue;
            expect(isHead(kept, data[index]), json).toBe(true);
            expect(json === JSON.stringify(data[index])).toBe(truncated === undefined);
            if (truncated === undefined) continue;
            const [elements, fields, characters] = countMissing(kept, data[index]);
            expect(truncated).toMatchObject({
              tokens_before: estimateTokens(JSON.stringify(data[index])),
              tokens_after: tokens,
              elements_dropped: elements,
              fields_dropped: fields,
              characters_dropped: characters,
            });
            expect(truncated.at.length).toBeGreaterThanOrEqual(1);
            expect(truncated.at.length).toBeLessThanOrEqual(5);
          }
        }),
        RUNS,
      );
    },
  );

  trial("stays within the budget, unless nothing at all of each would be more", () => {
    fc.assert(
      fc.property(batch, fc.nat(800), (data, maxTokens) => {
        const fitted = fit(maxTokens, ...data);
        const sum = fitted.reduce((sum, { tokens }) => sum + tokens, 0);
        const least = data.reduce<number>((sum, value) => sum + leastTokens(value), 0);
        expect(sum).toBeLessThanOrEqual(Math.max(maxTokens, least));
      }),
      RUNS,
    );
  });

  trial("changes nothing when everything fits", () => {
    fc.assert(
      fc.property(batch, (data) => {
        const results = data.map(toResult);
        const total = results.reduce((sum, { json }) => sum + estimateTokens(json), 0);
        const fitted = fitTokens(results, total);
        for (const [index, { json, data: kept, truncated }] of fitted.entries()) {
          expect([json, truncated]).toEqual([results[index]!.json, undefined]);
          expect(kept).toBe(results[index]!.data);
        }
      }),
      RUNS,
    );
  });

  trial("never cuts a result that is smaller than its fair share", () => {
    fc.assert(
      fc.property(batch, fc.nat(1_500), (data, maxTokens) => {
        for (const { tokens, truncated } of fit(maxTokens, ...data)) {
          if (truncated !== undefined)
            expect(truncated.tokens_before).toBeGreaterThan(Math.floor(maxTokens / data.length));
          else expect(tokens).toBeGreaterThan(0);
        }
      }),
      RUNS,
    );
  });

  trial("never keeps less of anything for a larger budget", () => {
    fc.assert(
      fc.property(batch, fc.nat(1_000), fc.nat(200), (data, maxTokens, more) => {
        const less = fit(maxTokens, ...data);
        for (const [index, { data: kept, json }] of fit(maxTokens + more, ...data).entries()) {
          if (less[index]!.json === "null") continue;
          expect(isHead(less[index]!.data, kept), `${less[index]!.json}\n${json}`).toBe(true);
        }
      }),
      RUNS,
    );
  });

  trial("is used well: what was cut fills most of a budget that is not tiny", () => {
    for (const data of fixtures) {
      for (const share of [0.3, 0.6, 0.9]) {
        const budget = Math.floor(estimateTokens(JSON.stringify(data)) * share);
        if (budget < 150) continue;
        const [fitted] = fit(budget, data);
        expect(fitted!.tokens, JSON.stringify(fitted!.truncated)).toBeGreaterThan(0.6 * budget);
      }
    }
  });

  test("keeps small results whole and lets large ones share the rest", () => {
    const words = (count: number): string => "word ".repeat(count).trim();
    const [small, large, larger] = fit(1_000, { ok: true }, words(2_000), words(9_000));
    expect(small!.truncated).toBeUndefined();
    expect(Math.abs(large!.tokens - larger!.tokens)).toBeLessThanOrEqual(2);
    expect(large!.tokens + larger!.tokens).toBeGreaterThan(980);
  });

  test("keeps the small fields beside a large one", () => {
    const page = {
      url: "https://example.com/a",
      status: 200,
      body: "All is well. ".repeat(500),
      next: "page-2",
    };
    const [fitted] = fit(120, page);
    expect(fitted!.data).toMatchObject({ url: page.url, status: 200, next: "page-2" });
    expect(fitted!.truncated).toMatchObject({ fields_dropped: 0, at: ["/body"] });
    expect((fitted!.data as typeof page).body).toMatch(/^All is well\. .*[a-z.]…$/);
  });

  test("drops elements from the end and says where", () => {
    const places = Array.from({ length: 40 }, (_, id) => ({ id, name: `Shop number ${id}`, rating: 4.5 }));
    const [fitted] = fit(200, { places, next: "page-2" });
    const { places: kept, next } = fitted!.data as { places: unknown[]; next: string };
    expect(kept).toEqual(places.slice(0, kept.length));
    expect(next).toBe("page-2");
    expect(fitted!.truncated).toEqual({
      tokens_before: estimateTokens(JSON.stringify({ places, next })),
      tokens_after: fitted!.tokens,
      elements_dropped: 40 - kept.length,
      fields_dropped: 0,
      characters_dropped: 0,
      at: ["/places"],
    });
  });

  test("leaves to small results what a large one cannot use", () => {
    const small = { note: "The fuel pump may fail while driving. ".repeat(10) };
    const link = { link: `https://example.com/${"a-long-path/".repeat(80)}` };
    const tokens = estimateTokens(JSON.stringify(small));
    const fitted = fit(tokens + 30, small, link);
    expect(fitted.map(({ truncated }) => truncated === undefined)).toEqual([true, false]);
    expect(fitted[1]!.data).toEqual({});
  });

  trial("cuts no result while another one keeps more than all of it", () => {
    fc.assert(
      fc.property(batch, fc.integer({ min: 100, max: 1_500 }), (data, maxTokens) => {
        const fitted = fit(maxTokens, ...data);
        const most = Math.max(...fitted.map(({ tokens }) => tokens));
        for (const { truncated } of fitted)
          expect(truncated?.tokens_before ?? most).toBeGreaterThanOrEqual(most);
      }),
      RUNS,
    );
  });

  test("reads a dictionary from its head", () => {
    const rows = Object.fromEntries(
      Array.from({ length: 200 }, (_, k) => [`row${k}`, { id: k, name: "Shop" }]),
    );
    const [fitted] = fit(200, rows);
    const kept = Object.entries(fitted!.data as object);
    expect(kept).toEqual(Object.entries(rows).slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(5);
  });

  test.each([
    [[1, 2, 3], "[]"],
    [{ a: 1 }, "{}"],
    [12_345, "null"],
    ["some words here", '""'],
  ])("leaves nothing of %j without a budget", (data, least) => {
    expect(fit(0, data)[0]).toMatchObject({ json: least, data: JSON.parse(least), truncated: { at: [""] } });
  });

  test("never cuts a link, an id or a number", () => {
    const link = `https://example.com/${"a-long-path/".repeat(12)}`;
    const [fitted] = fit(60, { note: "word ".repeat(200), link });
    expect(fitted!.data).not.toHaveProperty("link", expect.stringContaining("…"));
  });

  trial("cuts a megabyte however deep it lies, and lists in lists three thousand times", () => {
    const inside = {
      text: "The fuel pump may fail. ".repeat(20_000),
      rows: Array.from({ length: 20_000 }, (_, id) => ({ id, ok: true })),
    };
    let deep: unknown = inside;
    for (let depth = 0; depth < 30; depth += 1) deep = depth % 2 === 0 ? [deep] : { next: deep };
    const nested = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    const [one, two] = fitTokens([toResult(deep), { json: nested, data: null }], 2_000);
    expect(one!.tokens + two!.tokens).toBeLessThanOrEqual(2_000);
    expect(one!.tokens).toBeGreaterThan(900);
  });
});
