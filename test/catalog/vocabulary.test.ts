import { expect, test } from "vitest";

import { stem } from "../../src/catalog/language/stem.ts";
import { toTerms, toUnits } from "../../src/catalog/language/to-terms.ts";
import { Vocabulary } from "../../src/catalog/vocabulary.ts";

const vocabulary = new Vocabulary(
  ["merge a pull request", "list pull requests", "weather", "report"].map(toTerms),
);
const look = (request: string) => vocabulary.look(toUnits(request));

test("rarity() is 1 for a term of one tool and less the more tools have it", () => {
  expect(vocabulary.rarity(stem("weather"))).toBe(1);
  expect(vocabulary.rarity(stem("request"))).toBeLessThan(1);
  expect(new Vocabulary([["a"], ["a"]]).rarity("a")).toBeCloseTo(Math.log(2) / Math.log(3));
});

test("look() takes each word once", () => {
  expect(look("reports, the report").map((unit) => unit.stem)).toEqual(["report"]);
});

test("look() takes a phrase that tools have for what it means and for its words", () => {
  const [phrase, ...words] = look("pull request");

  expect(phrase).toMatchObject({ stem: null });
  expect(words.map((word) => word.stem)).toEqual(["pull", "request"]);
});

test("look() reads a phrase that no tool has as its words", () => {
  expect(toUnits("is it going to rain").map((unit) => unit.stem)).toEqual([null]);
  expect(look("is it going to rain").map((unit) => unit.stem)).toEqual(["rain"]);
});

test.each([
  ["wheather", "weather"],
  ["reprot", "report"],
])("look() takes %s for %s, and says so", (misspelt, meant) => {
  expect(look(misspelt)).toMatchObject([{ stem: stem(meant), isCorrected: true }]);
});

test.each(["xylophone", "zorg"])("look() leaves %s, which is near to no known word", (strange) => {
  expect(look(strange)).toMatchObject([{ stem: stem(strange), isCorrected: false }]);
});

test("look() compares only so many strange words with every known one", () => {
  const strange = look("wheathera wheatherb wheatherc wheatherd wheathere");
  expect(strange.at(-1)).toMatchObject({ isCorrected: false });
});
