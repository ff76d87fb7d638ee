import { expect, test } from "vitest";

import { stem } from "../../../src/catalog/language/stem.ts";
import { isStopWord } from "../../../src/catalog/language/stop-words.ts";
import { meaningsOf, phraseAt, synonymLines } from "../../../src/catalog/language/synonyms.ts";

const lines = synonymLines();

function shareMeaning(a: string, b: string): boolean {
  return meaningsOf(stem(a)).some((meaning) => meaningsOf(stem(b)).includes(meaning));
}

test.each([
  ["remove", "delete"],
  ["meeting", "events"],
  ["invoices", "bill"],
  ["vacation", "leave"],
])("'%s' and '%s' can mean the same", (a, b) => {
  expect(shareMeaning(a, b)).toBe(true);
});

test("a word that is in no line means nothing else", () => {
  expect(meaningsOf("sourdough")).toEqual([]);
  expect(meaningsOf("constructor")).toEqual([]);
});

test("a phrase is found where it begins, the longest one first", () => {
  const stems = ["please", "get", "rid", "of", "it"].map(stem);

  expect(phraseAt(stems, 0)).toBeNull();
  expect(phraseAt(stems, 1)!.at).toEqual([1, 2, 3]);
  expect(phraseAt(stems, 1)!.meanings).toEqual(
    meaningsOf(stem("erase")).filter((meaning) => phraseAt(stems, 1)!.meanings.includes(meaning)),
  );
  expect(phraseAt(stems, 2)).toBeNull();
});

test("a phrase of a verb and its particle may have its object inside", () => {
  const stems = ["call", "my", "appointment", "off", "please"].map(stem);

  expect(phraseAt(stems, 0)!.at).toEqual([0, 3]);
  expect(phraseAt(["call", "a", "b", "c", "d", "off"], 0)).toBeNull();
});

test("every line of the table has at least two words, lower case, and none twice", () => {
  for (const words of lines) {
    expect(words.length, words.join(" ")).toBeGreaterThan(1);
    expect(new Set(words).size, words.join(" ")).toBe(words.length);
    for (const word of words) expect(word).toMatch(/^[a-z0-9]+(?:_[a-z0-9]+)*$/);
  }
});

test("no single word of the table is one that is ignored in a request", () => {
  const ignored = lines.flat().filter((word) => !word.includes("_") && isStopWord(word));
  expect(ignored).toEqual([]);
});
