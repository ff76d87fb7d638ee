import { expect, test } from "vitest";

import { WordIndex } from "../../../src/catalog/search/word-index.ts";

function saysOf(documents: readonly (readonly string[])[][], word: string): [number, number, number][] {
  const index = new WordIndex(2);
  for (const fields of documents) index.add(fields.map((words) => new Set(words)));
  const told: [number, number, number][] = [];
  index.look(word, (document, field, says) => told.push([document, field, says]));
  return told;
}

test("look() tells every document and field that has a word", () => {
  const told = saysOf(
    [
      [["a"], ["a", "b"]],
      [["b"], []],
      [[], ["a"]],
    ],
    "a",
  );
  expect(told.map(([document, field]) => [document, field])).toEqual([
    [0, 0],
    [0, 1],
    [2, 1],
  ]);
  for (const [, , says] of told) expect(says).toBeGreaterThan(0);
});

test("a rare word says more than a common one, and a word of a short text more than one of a long text", () => {
  const documents = [
    [["a", "rare"], []],
    [["a"], []],
    [["a", "b", "c", "d"], []],
  ];
  const [rare] = saysOf(documents, "rare");
  const [first, short, long] = saysOf(documents, "a");
  expect(rare![2]).toBeGreaterThan(first![2]);
  expect(short![2]).toBeGreaterThan(long![2]);
});

test("look() takes words that are on every prototype", () => {
  expect(saysOf([[["a"], ["b"]]], "constructor")).toEqual([]);
  expect(saysOf([[["__proto__"], []]], "__proto__")).toMatchObject([[0, 0, expect.any(Number)]]);
});
