import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  estimateTokens,
  reachTokens,
  roughTokens,
  weighTokens,
} from "../../../src/core/answer/estimate-tokens.ts";

/** The weight that each UTF-16 code unit of `text` adds, in thousandths of a token, where `before` stands before it. */
function costsOf(before: string, text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => {
    const json = before + text;
    const from = before.length + at;
    return weighTokens(json, 0, from + 1) - weighTokens(json, 0, from);
  });
}

const FIXTURES = new URL("../../fixtures/", import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, FIXTURES), "utf8"));
/** Outputs as tools give them, and prose of many languages. */
const OUTPUTS = readdirSync(new URL("token-estimates/", FIXTURES)).map((file) =>
  JSON.stringify(read(`token-estimates/${file}`)),
);
const { texts } = read("human-rights.json") as { readonly texts: Record<string, string> };
const PROSE = Object.values(texts).map((text) => JSON.stringify(text));

type Row = readonly [what: string, before: string, text: string, costs: readonly number[]];

describe("weighTokens(): spaces and digits", () => {
  test.each<Row>([
    ["one space next to nothing, because it belongs to what follows", "a", " ", [50]],
    ["a run of spaces as one token, however long", "a", "     ", [50, 850, 0, 0, 0]],
    ["a word behind a space without the space", "a", " b", [50, 850]],
    ["three digits as one token", "a", "1234567", [1000, 0, 0, 1000, 0, 0, 1000]],
    ["more for digits behind a space", "a", " 1234", [50, 1575, 0, 0, 1000]],
    ["digits behind a mark as a number of their own", "a", "12.34", [1000, 0, 1008, 1000, 0]],
    ["digits behind letters from the first on", "123b", "45", [1000, 0]],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens(): words by what they begin behind", () => {
  test.each<Row>([
    ["a word at the beginning", "", "a", [850]],
    ["a capital at the beginning", "", "A", [1025]],
    ["a word behind digits", "1", "a", [975]],
    ["a capital behind digits", "1", "A", [1150]],
    ["a word behind a comma", "abcd,", "b", [125]],
    ["a capital behind a comma", "a,", "B", [475]],
    ["a word behind a colon", ":", "a", [875]],
    ["a capital behind a colon", ":", "A", [975]],
    ["a word behind a bracket", "a[", "b", [875]],
    ["a capital behind a brace", "a{", "B", [975]],
    ["a word that a dash is glued to", "a-", "b", [252]],
    ["a capital that a dollar is glued to", "a$", "B", [1008]],
    ["a word behind a dash that a space stands before", "a -", "b", [875]],
    ["a word behind a run of marks", '"--', "b", [875]],
    ["a capital behind a run of marks", "a--", "B", [975]],
    ["a word behind a sign", "…", "a", [850]],
    ["a capital behind a sign", "…", "A", [1025]],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens(): letters by those before them", () => {
  test.each<Row>([
    ["a capital within a word as another word", "some", "Thing", [950, 0, 0, 0, 0]],
    ["the first three capitals of a row as one token", "", "ABCDEF", [1025, 0, 0, 475, 475, 475]],
    ["capitals behind a space as an acronym", "a ", "ABCDEF", [850, 0, 0, 300, 300, 300]],
    ["capitals that begin a word anew as none", "a b", "ABCDE", [950, 0, 0, 475, 475]],
    ["capitals behind a space as an acronym again", "some", "AB ABCD", [950, 0, 50, 850, 0, 0, 300]],
    [
      "small letters behind capitals as another token, once",
      "",
      "ABCabcABCabc",
      [1025, 0, 0, 1100, 252, 567, 950, 0, 0, 1100, 252, 567],
    ],
    ["a small letter behind one capital as the word's own", "", "Ab", [1025, 252]],
    ["a letter by the one before, whatever its case", "some", "Ab", [950, 252]],
    [
      "rare neighbours more than common ones, and long words more",
      '"x',
      "qqqqqqqqqqqqqq",
      [1701, 567, 567, 567, 567, 567, 642, 642, 642, 642, 717, 717, 717, 717],
    ],
    [
      "common neighbours nothing but their floor, and long words more",
      "a",
      "aaaaaaaaaaaaaaaa",
      [0, 0, 0, 0, 0, 25, 125, 125, 125, 125, 150, 150, 150, 150, 150, 150],
    ],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens(): escapes", () => {
  test.each<Row>([
    [
      "a line break as a token of its own, and a word behind it as one that begins",
      '"x',
      "\\n\\nb",
      [630, 925, 315, 925, 850],
    ],
    ["a capital behind a line break", '"x', "\\nB", [630, 925, 1025]],
    ["the other two escapes that are a letter", '"x', "\\rb\\tb", [630, 925, 850, 630, 925, 850]],
    ["a word that a backslash stands before", '"x', "\\bb", [630, 378, 315]],
    ["no escape behind an escaped backslash", '"x', "\\\\nb", [630, 315, 875, 1197]],
    ["an escape behind an escaped backslash", '"x', "\\\\\\nb", [630, 315, 315, 925, 850]],
    ["an escaped quote as the mark that it is", '"x', '\\"b', [630, 0, 875]],
    ["a code's digits behind its letter", '"x', "\\u00", [630, 378, 1000, 0]],
    ["backslashes in a string", '"x', "\\\\\\\\\\\\\\\\", [630, 315, 315, 315, 315, 315, 315, 315]],
    [
      "escaped quotes as a run of one mark",
      '"x',
      '\\"\\"\\"\\"\\"',
      [630, 0, 756, 0, 756, 0, 756, 0, 0, 1008],
    ],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens(): runs of marks in a string", () => {
  test.each<Row>([
    ["one mark from the fifth on by what runs of it are", '"x', "-------", [1008, 0, 0, 0, 0, 0, 0]],
    [
      "two marks in turn by what such runs are, from the fifth on",
      '"x',
      "-=-=-=-=",
      [1008, 441, 1764, 441, 63, 189, 63, 189],
    ],
    ["two marks in turn, the other first", '"x', "=-=-=-=", [882, 1764, 441, 1764, 189, 63, 189]],
    ["two marks twice each", '"x', "--==--==", [1008, 0, 441, 0, 1764, 189, 1323, 189]],
    ["two marks of which one stands twice", '"x', "--=--=--=", [1008, 0, 441, 1764, 0, 1323, 63, 189, 1323]],
    [
      "a run of one mark that another goes on",
      '"x',
      "-----======",
      [1008, 0, 0, 0, 0, 441, 0, 0, 189, 189, 189],
    ],
    [
      "a run in which another mark stands once",
      '"x',
      "=======-====",
      [882, 0, 0, 0, 0, 0, 0, 1764, 441, 0, 189, 189],
    ],
    ["three marks as no such run", '"x', "-.=-.=-.=", [1008, 567, 378, 1764, 567, 378, 1764, 567, 378]],
    [
      "a third mark as the beginning of another run",
      '"x',
      "-=-=+-=-=+-+-+",
      [1008, 441, 1764, 441, 504, 1008, 441, 1764, 441, 504, 1008, 504, 1008, 189],
    ],
    ["a space as the end of a run", '"x', "-=-= -=-=-", [1008, 441, 1764, 441, 50, 882, 441, 1764, 441, 63]],
    [
      "the end of a string as the end of a run",
      '"x',
      '-=-="-=-=-="',
      [1008, 441, 1764, 441, 882, 2205, 441, 1764, 441, 1764, 441, 882],
    ],
    ["a letter as the end of a run", '"x-=-=-=y', "-=-=-=", [1008, 441, 1764, 441, 63, 189]],
    ["marks outside of strings as none", '"-----"', "------", [2205, 0, 0, 0, 0, 0]],
    ["JSON's own marks in a string as any other", '"x', "[[[[[[", [819, 504, 504, 504, 504, 504]],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens(): marks by what they stand behind", () => {
  test.each<Row>([
    ["marks at the beginning", "", "..", [945, 0]],
    ["marks behind a letter", "a", "..", [819, 0]],
    ["marks behind a digit", "1", "..", [1008, 0]],
    ["marks behind a space", "a ", "..", [1071, 0]],
    ["marks behind a letter beyond ASCII", "é", "..", [819, 0]],
    ["marks behind Han", "世", "..", [819, 0]],
    ["marks behind a sign", "…", "..", [315, 0]],
    ["marks behind a line break", '"\\n', "..", [945, 0]],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens(): other scripts", () => {
  test.each<Row>([
    [
      "letters with accents by their place in the word",
      "é",
      "éééééééééééééé",
      [450, 450, 450, 750, 750, 750, 750, 850, 850, 850, 850, 1175, 1175, 1175],
    ],
    ["a letter with an accent behind a space", "a ", "é", [1975]],
    ["a letter with an accent behind a digit", "1", "é", [1175]],
    ["a letter with an accent within a word", "ab", "éc", [450, 0]],
    ["Cyrillic by its place and its neighbour", "а", "бвгд", [70, 70, 70, 150]],
    ["a Cyrillic capital within a word as another word", "д", "Д", [1800]],
    ["Cyrillic capitals in a row", "Д", "ДД", [0, 0]],
    ["a small Cyrillic letter behind a capital", "Д", "д", [70]],
    ["Cyrillic behind Latin", "a", "д", [1000]],
    ["Latin behind Cyrillic", "д", "ab", [850, 252]],
    ["small letters of ASCII behind others, and long words more", "éaaaaaaaaaaaaaaa", "a", [150]],
    ["common Han by its neighbour", "世", "界", [700]],
    ["common Han behind a letter", "a", "世", [800]],
    ["common Han behind a space", "a ", "世", [1400]],
    ["rare Han", "世", "龘", [3200]],
    ["kana of the other kind", "の", "カ", [1075]],
    ["a pair of halves with its first", "a", "😀😀", [2000, 0, 2350, 0]],
    ["a combining mark", "a", "́", [325]],
    ["signs of two kinds", "a", "—…", [1175, 1000]],
    ["a digit behind a sign", "—", "1", [1000]],
  ])("counts %s", (_, before, text, costs) => {
    expect(costsOf(before, text)).toEqual(costs);
  });
});

describe("weighTokens()", () => {
  test("counts half of a pair that stands alone as the escape by which JSON writes it", () => {
    expect(costsOf("a", "\ud83d")).toEqual([2000]);
    expect(costsOf("a", "\ude00")).toEqual([2850]);
    expect(costsOf("\u{1f600}", "\ude00")).toEqual([2850]);
    expect(costsOf("é", "\ude00")).toEqual([2850]);
  });

  test("counts nothing of what stands before a text", () => {
    const json = '{"a":"--==--==éé ABC"}';
    const weights = Array.from({ length: 3 }, () => weighTokens(json));
    weighTokens('"-----');
    weighTokens("ÉÉABC");
    expect(new Set([...weights, weighTokens(json)]).size).toBe(1);
  });

  test("weighs many texts as it did: a cost is changed on purpose, and these sums with it", () => {
    const sum = (all: readonly string[]): number => all.reduce((sum, json) => sum + weighTokens(json), 0);
    expect([OUTPUTS.length, sum(OUTPUTS)]).toEqual([18, 14_438_719]);
    expect([PROSE.length, sum(PROSE)]).toEqual([31, 10_222_200]);
  });
});

describe("reachTokens()", () => {
  test("goes on to the last character for which the limit is enough, also within a word", () => {
    const json = '{"name":"Abcdefghijklmnop, qrstuvwxyz","count":12}';
    for (let to = 0; to <= json.length; to += 1) {
      const limit = weighTokens(json, 0, to);
      const reach = (most: number): number => reachTokens(json, { from: 0, to: json.length, limit: most });
      expect(weighTokens(json, 0, reach(limit))).toBe(limit);
      expect(reach(limit)).toBeGreaterThanOrEqual(to);
      if (limit > 0) expect(weighTokens(json, 0, reach(limit - 1))).toBeLessThan(limit);
    }
  });

  test("never goes beyond the part", () => {
    const json = '["abcdefgh","abcdefgh"]';
    for (let to = 1; to < json.length; to += 1)
      expect(reachTokens(json, { from: 1, to, limit: Number.POSITIVE_INFINITY })).toBe(to);
  });
});

describe("roughTokens()", () => {
  const SAMPLE = "a".repeat(64 * 1024);

  test("is the estimate up to 64 KiB", () => {
    for (const json of ["", '"abc"', SAMPLE]) expect(roughTokens(json)).toBe(estimateTokens(json));
  });

  test("goes on beyond them as the beginning does", () => {
    const tokens = estimateTokens(SAMPLE);
    expect(roughTokens(SAMPLE + "1".repeat(SAMPLE.length))).toBe(2 * tokens);
    expect(roughTokens(`${SAMPLE}1`)).toBe(Math.ceil((tokens * (SAMPLE.length + 1)) / SAMPLE.length));
  });
});
