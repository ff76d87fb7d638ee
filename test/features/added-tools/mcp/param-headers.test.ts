import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { toHeaderValue } from "../../../../src/features/added-tools/mcp/param-headers.ts";

/** Read a header's value as a server of 2026-07-28 does. */
function read(value: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

const marked = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("Text in a header", () => {
  test.each(["eu", "a b", "a\tb", "=?base64?", "=?base64?eA==", "x=?base64?eA==?="])(
    "is as it is: %j",
    (text) => {
      expect(toHeaderValue(text)).toBe(text);
    },
  );

  test.each(["café", "", " a", "a ", "a\nb", "=?base64?eA==?=", "=?base64??=", "=?base64?no base64?="])(
    "is in base64 where it could not be carried or would be read as another: %j",
    (text) => {
      expect(toHeaderValue(text)).toBe(marked(text));
    },
  );

  test("is read as what was written, whatever it is", () => {
    const piece = fc.constantFrom("=?base64?", "?=", "eA==", " ", "é", "x");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
        (text) => {
          expect(read(toHeaderValue(text))).toBe(text);
        },
      ),
    );
  });
});
