import { expect, test } from "vitest";

import { stem } from "../../../src/catalog/language/stem.ts";
import { meaningsOf } from "../../../src/catalog/language/synonyms.ts";
import { toTerms, toUnits } from "../../../src/catalog/language/to-terms.ts";

test("toUnits() keeps what says something about a tool", () => {
  expect(toUnits("Could you please show me the 3 forecasts?").map(({ stem }) => stem)).toEqual([
    "show",
    "forecast",
  ]);
});

test("toUnits() takes a phrase for its meaning, not for its words", () => {
  const [phrase, noun] = toUnits("call off the party");

  expect(phrase!.stem).toBeNull();
  expect(phrase!.meanings.some((meaning) => meaningsOf("cancel").includes(meaning))).toBe(true);
  expect(noun!.stem).toBe(stem("party"));
});

test("toUnits() keeps a phrase's telling words for whoever does not know the phrase", () => {
  const [find, phrase] = toUnits("find a pull request");

  expect(find!.stem).toBe("find");
  expect(phrase!.words.map((word) => word.stem)).toEqual(["pull", "request"]);
});

test("toUnits() finds nothing in a request of stop words and numbers", () => {
  expect(toUnits("what can you do for me at 10 tomorrow?")).toEqual([]);
});

test.each([
  ["a name inside a sentence", "phone Maria", "maria"],
  ["whose something is", "phone Maria's sister", "maria"],
  ["a word with digits", "open lh400", "lh400"],
  ["what follows a preposition", "a taxi to the opera", "opera"],
])("toUnits() takes %s for what the tool is to be given", (_, text, word) => {
  const units = toUnits(text);
  expect(units.find((unit) => unit.stem === word)).toMatchObject({ isData: true });
  expect(units[0]).toMatchObject({ isData: false });
});

test.each([
  ["an address", "mail bob@example.com"],
  ["a link", "mail https://example.com/a?b=c"],
  ["a quotation", 'mail "the minutes of Monday"'],
])("toUnits() leaves %s out", (_, text) => {
  expect(toUnits(text).map((unit) => unit.stem)).toEqual(["mail"]);
});

test("toUnits() reads a request that is one quotation", () => {
  expect(toUnits('"mail"').map((unit) => unit.stem)).toEqual(["mail"]);
});

test("toTerms() files a text under its stems and what they can mean", () => {
  expect(toTerms("delete_orders")).toEqual([
    stem("delete"),
    ...meaningsOf(stem("delete")),
    "order",
    ...meaningsOf("order"),
  ]);
});
