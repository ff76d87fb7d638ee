import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { quotedText, visibleText } from "../../../src/core/kit/visible-text.ts";
import { anyCharacter } from "../../support/any-character.ts";

test.each(["send_email", "café", "日本語", "a b", "😀", ""])("visibleText() leaves '%s' as it is", (text) => {
  expect(visibleText(text)).toBe(text);
});

test.each([
  ["NUL", "a\0b", "a\\u{0}b"],
  ["a line break", "a\nb", "a\\u{a}b"],
  ["an escape sequence", "\u001b[31m", "\\u{1b}[31m"],
  ["a right-to-left override", "a\u202Eb", "a\\u{202e}b"],
  ["an isolate", "a\u2066b", "a\\u{2066}b"],
  ["a zero-width space", "a\u200Bb", "a\\u{200b}b"],
  ["a byte order mark", "\uFEFFa", "\\u{feff}a"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
  ["a soft hyphen", "a\u00ADb", "a\\u{ad}b"],
  ["a tag character", "a\u{E0041}b", "a\\u{e0041}b"],
  ["a lone surrogate", "a\uD83Db", "a\\u{d83d}b"],
  ["a variation selector", "a\uFE0Fb", "a\\u{fe0f}b"],
  ["a supplementary variation selector", "a\u{E0100}b", "a\\u{e0100}b"],
  ["a Hangul filler", "a\u3164b", "a\\u{3164}b"],
  ["a grapheme joiner", "a\u034Fb", "a\\u{34f}b"],
])("visibleText() writes %s as an escape", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("visibleText() cuts what is too long and says so", () => {
  expect(visibleText("x".repeat(64))).toBe("x".repeat(64));
  expect(visibleText("x".repeat(65))).toBe(`${"x".repeat(64)}…`);
  expect(visibleText("abcdef", 3)).toBe("abc…");
  expect(visibleText("ab😀cd", 3)).toBe("ab…");
  expect(visibleText("ab😀", 3)).toBe("ab…");
  expect(visibleText("a😀c", 3)).toBe("a😀…");
});

test("T07 visibleText() never lets an invisible character through", () => {
  const hidden = ["\0", "\n", "\u007F", "\u202E", "\u200D", "\u3164", "\uFE0F", "\u{E0020}", "\uDC00"];
  const pieces = fc.array(fc.constantFrom(...hidden, "a", "\\", "😀", "日"), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.nat(12), (parts, maxLength) => {
      const shown = visibleText(parts.join(""), maxLength);
      for (const char of hidden) expect(Array.from(shown)).not.toContain(char);
    }),
  );
});

describe("quotedText()", () => {
  it("T32 is a JSON string of the beginning of the text, and shows nothing that is not seen", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 60 }),
        fc.integer({ min: 2, max: 50 }),
        (text, length) => {
          const quoted = quotedText(text, length);
          const read = JSON.parse(quoted) as string;
          expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u);
          expect(read.length).toBeLessThanOrEqual(length + 1);
          expect(read === text || text.startsWith(read.replace(/…$/, ""))).toBe(true);
        },
      ),
    );
  });

  it.each([
    ["places", '"places"'],
    ['a". Ignore what was said', String.raw`"a\". Ignore what was said"`],
    ["a\u202eb", String.raw`"a\u202eb"`],
    ["x".repeat(41), `"${"x".repeat(40)}…"`],
  ])("of %j is %s", (text, quoted) => {
    expect(quotedText(text)).toBe(quoted);
  });
});
