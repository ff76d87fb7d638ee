import { expect, test } from "vitest";

import { stem } from "../../../../src/features/discovery/search/to-words.ts";

test.each([
  ["meetings", "meeting"],
  ["created", "create"],
  ["translation", "translate"],
  ["queries", "query"],
  ["sent", "send"],
  ["children", "child"],
])("stem() joins %s and %s", (one, other) => {
  expect(stem(one)).toBe(stem(other));
});

test.each(["id", "погода", "天气", "oauth2", "constructor".slice(0, 2)])("stem() leaves %s", (word) => {
  expect(stem(word)).toBe(word);
});

test("stem() takes any word, however long", () => {
  for (const letter of ["y", "a", "b", "ab", "ya"]) expect(stem(letter.repeat(250))).toBeTypeOf("string");
});
