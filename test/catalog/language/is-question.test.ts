import { expect, test } from "vitest";

import { isQuestion } from "../../../src/catalog/language/is-question.ts";

test.each(["What's on today?", "how many are left", "Is it late", "¿which one?"])(
  "'%s' is a question",
  (text) => {
    expect(isQuestion(text)).toBe(true);
  },
);

test.each(["could you book it", "Send it", "whatever works", "", "history of it"])("'%s' is none", (text) => {
  expect(isQuestion(text)).toBe(false);
});
