import fc from "fast-check";
import { expect, test } from "vitest";

import { findJsonSlip, toLineAndColumn } from "../../../../src/core/kit/json/json-slip.ts";
import { attemptNow } from "../../../../src/core/kit/result.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

test.each([
  ["a comma before the closing brace", '{"a": 1,}', 8, "a trailing comma stands before '}'"],
  ["a comma before the closing bracket", "[1, 2,\n]", 7, "a trailing comma stands before ']'"],
  ["two commas", "[1,,2]", 3, "two commas"],
  ["a comma at the beginning", "[,1]", 1, "a value is missing before ','"],
  ["a field without a value", '{"a":}', 5, "a value is missing before '}'"],
  ["single quotes around text", "{\"a\": 'b'}", 6, 'double quotes ("), not in single quotes'],
  ["single quotes around a name", "{'a': 1}", 1, "not in single quotes"],
  ["backticks", '{"a": `b`}', 6, "not in backticks"],
  ["typographic quotes", "{“a”: 1}", 1, "'“' is a typographic (smart) quote"],
  ["a comment at the end of a line", '{"a": 1 // one\n}', 8, "JSON has no comments"],
  ["a comment before a field", '{ /* all */ "a": 1}', 2, "JSON has no comments"],
  ["a comment of a shell", "# hello\n{}", 0, "JSON has no comments"],
  ["a name without quotes", "{a: 1}", 1, "a field's name is unquoted"],
  ["a number as a name", "{1: 1}", 1, "a field's name is unquoted"],
  ["NaN", '{"a": NaN}', 6, "NaN is no JSON, write null"],
  ["Infinity", "[Infinity]", 1, "Infinity is no JSON"],
  ["minus Infinity", "[-Infinity]", 1, "a number begins with a digit, or with a minus and a digit"],
  ["undefined", '{"a": undefined}', 6, "undefined is no JSON, write null, or leave the field out"],
  ["True", "[True]", 1, "True is no JSON, write true"],
  ["False", "[False]", 1, "False is no JSON, write false"],
  ["None", "[None]", 1, "None is no JSON, write null"],
  ["a misspelt literal", '{"a": tru}', 6, "a word without quotes is no value"],
  ["plain text", "hello there", 0, "a word without quotes is no value"],
  [
    "an object that is not closed",
    '{"a": 1',
    7,
    "the text ends too early, it was cut off or the object of line 1, column 1",
  ],
  [
    "an array that is not closed",
    '{"a": [1',
    8,
    "the text ends too early, it was cut off or the array of line 1, column 7",
  ],
  ["an array that ends after its comma", "[1,", 3, "the text ends too early"],
  ["a string that is not closed", '{"a', 3, "inside the string of line 1, column 2"],
  ["a string cut off in its escape", '["a\\', 3, "the text ends too early"],
  ["a line break in a string", '["a\nb"]', 3, "a line break inside a string is written \\n"],
  ["a tab in a string", '["a\tb"]', 3, "inside a string is written \\t"],
  ["a control character in a string", '["a\u0001b"]', 3, "inside a string is written \\u0001"],
  ["a path of Windows", '["C:\\Users"]', 4, "an invalid escape"],
  ["an escaped single quote", '["it\\\'s"]', 4, "an invalid escape"],
  ["a short \\u", '["\\u12"]', 2, "'\\u' needs four hexadecimal digits"],
  ["two documents", '{"a": 1}\n{"a": 2}', 9, "a second document begins"],
  ["a closing bracket too many", "{}}", 2, "there is one '}' too many"],
  ["something after the end", "{} please", 3, "something follows it"],
  ["a wrong closing bracket", '{"a": [1}', 8, "'}' closes no array"],
  ["a missing comma between fields", '{"a": 1 "b": 2}', 8, "a comma is missing before this"],
  ["a missing comma between objects", "[{} {}]", 4, "a comma is missing before this"],
  ["a quote inside a string", '{"a": "say "hi" now"}', 12, 'has to be written \\"'],
  ["a semicolon", "[1; 2]", 2, "separated by commas"],
  ["an equals sign for a colon", '{"a" = 1}', 5, "a colon (:) stands between"],
  ["a leading zero", "[012]", 2, "does not begin with 0"],
  ["a leading plus", "[+1]", 1, "a number begins with a digit"],
  ["a leading point", "[.5]", 1, "a number begins with a digit"],
  ["a trailing point", "[5.]", 2, "a number's point stands between digits"],
  ["a hexadecimal number", "[0x1F]", 2, "written in decimal digits alone"],
  ["a number with its unit", "[15s]", 3, "written in decimal digits alone"],
  ["a code fence", "```json\n{}\n```", 0, "code fence"],
  ["HTML", "<html></html>", 0, "may be HTML or XML"],
  ["a space that does not break", '{\u00a0"a": 1}', 1, "an invisible character (U+00A0)"],
  ["a byte order mark further in", "[\uFEFF1]", 1, "an invisible character (U+FEFF)"],
])("findJsonSlip() says what is wrong with %s", (_, text, at, what) => {
  expect(findJsonSlip(text)).toEqual({ at, what: expect.stringContaining(what) });
});

test("toLineAndColumn() counts from one", () => {
  expect(toLineAndColumn("ab\ncd", 0)).toBe("line 1, column 1");
  expect(toLineAndColumn("ab\ncd", 4)).toBe("line 2, column 2");
});

/** Pieces of JSON in any order: nearly always wrong, in all places. */
const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        '"a"',
        '"b":',
        "\\",
        "'",
        "1",
        "-",
        "0",
        ".5",
        "e9",
        " ",
        "\n",
      ),
      fc.constantFrom("true", "null", "None", "//", "/", "é", "😀", "\u0000", '{"a": ', '"\\u00e9"'),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(""));

/** JSON with one character taken out, put in or replaced. */
const slipped = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.constantFrom("", ",", "}", '"', "'", "\\", "\n", "x", "1"),
    fc.constantFrom(0, 1),
  )
  .map(([text, at, put, taken]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + taken);
  });

trial("findJsonSlip() finds a slip in exactly what JSON.parse refuses, at a place of the text", () => {
  fc.assert(
    fc.property(fc.oneof(pieces, slipped, fc.json()), (text) => {
      const slip = findJsonSlip(text);
      expect(slip === null).toBe(attemptNow(() => JSON.parse(text) as unknown).ok);
      if (slip !== null) expect(slip.at).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: samples(5_000) },
  );
});
