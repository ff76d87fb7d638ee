import { expect, test } from "vitest";

import { parseIdempotencyKey } from "../../src/contract/idempotency-key.ts";

test.each([
  ["bare", "order-17", "order-17"],
  ["quoted, as the header's draft asks", '"order-17"', "order-17"],
  ["with space around it", '  "order-17" ', "order-17"],
  ["with escapes", '"a\\"b\\\\c"', 'a"b\\c'],
  ["of 255 characters", "k".repeat(255), "k".repeat(255)],
])("a key %s is a key", (_, text, key) => {
  expect(parseIdempotencyKey(text)).toEqual({ ok: true, value: key });
});

test.each([
  ["nothing", ""],
  ["space", "   "],
  ["empty quotes", '""'],
  ["256 characters", "k".repeat(256)],
  ["256 quoted characters", `"${"k".repeat(256)}"`],
  ["a quote without its end", '"k'],
  ["a quote inside a quote", '"a"b"'],
  ["parameters behind it", '"k";v=1'],
  ["a control", "a\tb"],
  ["a letter beyond ASCII", "schlüssel"],
  ["something invisible", "a\u200bb"],
])("%s is no key", (_, text) => {
  expect(parseIdempotencyKey(text)).toEqual({ ok: false, error: expect.stringMatching(/key/) });
});
