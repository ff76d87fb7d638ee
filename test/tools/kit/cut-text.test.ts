import fc from "fast-check";
import { expect, test } from "vitest";

import { cutText } from "../../../src/tools/kit/cut-text.ts";
import { anyCharacter } from "../../support/any-character.ts";

test("cutText() cuts the example of its documentation after a whole word", () => {
  expect(cutText("The fuel pump\n may fail.", 15)).toBe("The fuel pump…");
});

test("cutText() keeps a text that fits, on one line", () => {
  expect(cutText("  a\tb\r\n\u0000c ", 5)).toBe("a b c");
});

test("cutText() keeps the last word when it ends where the room does", () => {
  expect(cutText("one two three", 8)).toBe("one two…");
});

test("cutText() cuts through a word that leaves no better place", () => {
  expect(cutText(`a ${"b".repeat(50)}`, 10)).toBe("a bbbbbbb…");
});

test("cutText() never leaves half a character", () => {
  expect(cutText("😀😀😀", 4)).toBe("😀…");
});

test("cutText() never exceeds its length and never breaks the line", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (text, max) => {
        const cut = cutText(text, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut).not.toMatch(/[\r\n\t]/);
      },
    ),
  );
});
