import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  estimateTokens,
  reachTokens,
  roughTokens,
  weighTokens,
} from "../../../src/core/answer/estimate-tokens.ts";

/** The weight that each UTF-16 code unit adds to the text before it. */
function costsOf(text: string): number[] {
  return Array.from(
    { length: text.length },
    (_, at) => weighTokens(text, 0, at + 1) - weighTokens(text, 0, at),
  );
}

/** The costs of what stands behind `before`. */
function costsBehind(before: string, text: string): number[] {
  return costsOf(before + text).slice(before.length);
}

describe("estimateTokens() counts in thousandths of a token", () => {
  test.each<[string, string, string, number[]]>([
    ["one space next to nothing, because it belongs to what follows", "a", " ", [50]],
    ["a run of spaces as one token, however long", "a", "     ", [50, 850, 0, 125, 125]],
    ["a word behind a space less than one that begins a text with a capital", "a", " b", [50, 850]],
    ["three digits as a token", "a", "1234567", [1000, 0, 0, 1000, 0, 0, 1000]],
    ["a token more for a space before a number", "a", " 1234", [50, 1575, 0, 0, 1000]],
    ["a number behind a comma as one that begins", "[1", ",2", [819, 1000]],
    ["no run of digits across a mark", "a", "12.34", [1000, 0, 1008, 1000, 0]],
    ["a run of spaces anew behind a word", "a  b", " c", [50, 850]],
    ["a run of digits anew behind a letter", "123b", "45", [1000, 0]],
  ])("%s", (_, before, text, costs) => {
    expect(costsBehind(before, text)).toEqual(costs);
  });

  test.each<[string, string, string, number[]]>([
    ["a word at the beginning", "", "a", [850]],
    ["a word with a capital at the beginning", "", "A", [1025]],
    ["a word behind digits", "1", "a", [975]],
    ["a capital behind digits", "1", "A", [1150]],
    ["a word behind a comma", "a,", "b", [125]],
    ["a capital behind a comma", "a,", "B", [475]],
    ["a word behind a colon", ":", "a", [875]],
    ["a capital behind a colon", ":", "A", [975]],
    ["a word behind a bracket", "a[", "b", [875]],
    ["a capital behind a brace", "a{", "B", [975]],
    ["a word that a dash is glued to", "a-", "b", [252]],
    ["a capital that a dollar is glued to", "a$", "B", [1008]],
    ["a word behind a mark that a space stands before", "a -", "b", [875]],
    ["a capital behind a run of marks", "a--", "B", [975]],
    ["a word behind a sign", "…", "a", [850]],
    ["a capital behind a sign", "…", "A", [1025]],
  ])("%s", (_, before, text, costs) => {
    expect(costsBehind(before, text)).toEqual(costs);
  });

  test.each<[string, string, string, number[]]>([
    ["a capital within a word as another word", "some", "Thing", [950, 0, 0, 126, 126]],
    ["the first three capitals of a row as one token", "", "ABCDEF", [1025, 0, 0, 475, 475, 475]],
    ["capitals less behind a space, where they are an acronym", "a ", "ABCDEF", [850, 0, 0, 300, 300, 300]],
    ["capitals as no acronym once the word has begun anew", "a b", "ABCDE", [950, 0, 0, 475, 475]],
    ["small letters behind capitals as another token, once", "", "ABca", [1025, 0, 1100, 252]],
    ["a small letter behind one capital as the word's own", "", "Ab", [1025, 252]],
    ["letters by the one before, whatever its case", "some", "Ab", [950, 252]],
  ])("%s", (_, before, text, costs) => {
    const [first, ...rest] = costsBehind(before, text);
    const [expected, ...others] = costs;
    expect(first).toBe(expected);
    expect(rest).toHaveLength(others.length);
    expect(costsBehind(before, text)).toEqual(costs);
  });
});
