import { expect, test } from "vitest";

import { parseIdempotencyKey } from "../../../src/core/contract/idempotency-key.ts";

test.each([
  ["bare", "order-17", "order-17"],
  ["quoted, as the header's draft asks", '"order-17"', "order-17"],
  ["with space around it", '  "order-17" ', "order-17"],
  ["with escapes", '"a\\"b\\\\c"', 'a"b\\c'],
  ["of 255 characters", "k".repeat(255), "k".repeat(255)],
])("a key %s is a key", (_, text, key) => {
  expect(parseIdempotencyKey(text, "/key")).toEqual({ ok: true, value: key });
});

test.each([
  ["nothing", "", 'the string ""'],
  ["space", "   ", 'the string "   "'],
  ["empty quotes", '""', String.raw`the string "\"\""`],
  ["256 characters", "k".repeat(256), "256 characters"],
  ["256 quoted characters", `"${"k".repeat(256)}"`, "256 characters"],
  ["a quote without its end", '"k', String.raw`the string "\"k"`],
  ["a quote inside a quote", '"a"b"', String.raw`the string "\"a\"b\""`],
  ["parameters behind it", '"k";v=1', String.raw`the string "\"k\";v=1"`],
  ["a control", "a\tb", String.raw`the string "a\tb"`],
  ["a line break at the end", "a\n", String.raw`the string "a\n"`],
  ["a tab before it", "\ta", String.raw`the string "\ta"`],
  ["a space of another kind around it", "\u00a0a", 'the string "\u00a0a"'],
  ["a letter beyond ASCII", "schlüssel", 'the string "schlüssel"'],
  ["something invisible", "a\u200bb", String.raw`the string "a\u200bb"`],
])("%s is no key, and the issue shows it", (_, text, received) => {
  expect(parseIdempotencyKey(text, "/key")).toEqual({
    ok: false,
    error: {
      path: "/key",
      expected: "1 to 255 printable ASCII characters, quoted or bare, such as a UUID",
      received,
    },
  });
});
