import { expect, test } from "vitest";

import { utf8Length } from "../../../src/core/contract/json.ts";

test.each(["a", "\0", "\x7f", "\x80", "é", "€", "😀", "\ud83d", "\u2028"])(
  "counts the bytes that a text with %j has as UTF-8, whatever its length",
  (character) => {
    for (const length of [0, 1, 100, 510, 511, 512, 513, 514, 5_000])
      for (const text of [
        character + "a".repeat(length),
        "a".repeat(length) + character,
        character.repeat(length),
      ])
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).byteLength);
  },
);
