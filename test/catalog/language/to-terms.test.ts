import { expect, test } from "vitest";

import { stem } from "../../../src/catalog/language/stem.ts";
import { meaningsOf } from "../../../src/catalog/language/synonyms.ts";
import { toTerms, toUnits } from "../../../src/catalog/language/to-terms.ts";

test("toUnits() keeps what says something about a tool, each word once", () => {
  expect(toUnits("Could you please show me the 3 forecasts? The forecast!").map(({ stem }) => stem)).toEqual([
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

test("toUnits() finds nothing in a request of stop words and numbers", () => {
  expect(toUnits("what can you do for me at 10 tomorrow?")).toEqual([]);
});

test("toTerms() files a text under its stems and what they can mean", () => {
  expect(toTerms("delete_orders")).toEqual([
    stem("delete"),
    ...meaningsOf(stem("delete")),
    "order",
    ...meaningsOf("order"),
  ]);
});
