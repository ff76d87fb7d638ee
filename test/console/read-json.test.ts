import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { printJson, setFields } from "../../src/console/editor/print-json.ts";
import { readJson } from "../../src/console/editor/read-json.ts";
import { samples } from "../support/samples.ts";
import { trial } from "../support/trial.ts";

/** The value of a text after it was read, slips mended. */
function mend(text: string): unknown {
  return JSON.parse(printJson(text, readJson(text).root!));
}

function slipsOf(text: string): readonly string[] {
  return readJson(text).slips.map(({ message }) => message);
}

describe("readJson()", () => {
  test("reads what is JSON as JSON.parse does, without a slip", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value = JSON.parse(text) as unknown;
        expect(slipsOf(text)).toEqual([]);
        expect(mend(text)).toEqual(value);
      }),
    );
  });

  test("finds a slip in exactly what JSON.parse refuses", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1",
      "true",
      "nul",
      "'b'",
      " ",
      "\n",
      "-",
      '"',
      "\\",
      "\t",
      "// c",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const isJson = ((): boolean => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        const { root, slips } = readJson(text);
        expect(root !== null && slips.length === 0).toBe(isJson);
      }),
      { numRuns: samples(3_000) },
    );
  });

  test.each([
    [
      "a comma before the end",
      '{"a":[1,2,],}',
      { a: [1, 2] },
      ["A comma before ] is one too many", "A comma before } is one too many"],
    ],
    [
      "single quotes",
      "{'a': 'it'}",
      { a: "it" },
      ["JSON has double quotes only", "JSON has double quotes only"],
    ],
    ["names without quotes", "{a: 1}", { a: 1 }, ['A name stands in double quotes: "a"']],
    [
      "the words of another language",
      '{"a": True, "b": None}',
      { a: true, b: null },
      ["JSON writes true, not True", "JSON writes null, not None"],
    ],
    ["a comma that is missing", '{"a": 1 "b": 2}', { a: 1, b: 2 }, ["A comma is missing before this"]],
    ["comments", '{"a": 1 // one\n}', { a: 1 }, ["JSON has no comments"]],
    ["curly quotes", "{“a”: 1}", { a: 1 }, ["JSON has double quotes only"]],
    [
      "a bracket that is missing",
      '{"a": [1, 2',
      { a: [1, 2] },
      ["This { is never closed: } is missing", "This [ is never closed: ] is missing"],
    ],
  ])("mends %s", (_name, text, meant, said) => {
    expect(slipsOf(text)).toEqual(said);
    expect(readJson(text).slips.every(({ isMendable }) => isMendable)).toBe(true);
    expect(mend(text)).toEqual(meant);
  });

  test("says what it cannot mend: a value that is still to be written", () => {
    expect(readJson('{"a": }').slips).toMatchObject([{ start: 6, isMendable: false }]);
    expect(readJson('{"tool": "args": {}}').slips[0]).toMatchObject({
      message: 'The value of "tool" is missing',
      isMendable: false,
    });
  });

  trial("takes no stack and says so for a text of brackets only", () => {
    const { slips, tokens } = readJson("[".repeat(100_000));
    expect(tokens).toHaveLength(100_000);
    expect(slips.length).toBeLessThanOrEqual(20);
    expect(slipsOf(`${"[".repeat(100)}${"]".repeat(100)}`)).toEqual(["Deeper than 64 levels"]);
  });
});

describe("printJson()", () => {
  test("keeps digits that no number holds", () => {
    const text = '{"a":12345678901234567890,"b":1.10}';
    expect(printJson(text, readJson(text).root!)).toBe('{\n  "a": 12345678901234567890,\n  "b": 1.10\n}');
  });

  test("prints what it printed the same again", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const once = printJson(text, readJson(text).root!);
        expect(printJson(once, readJson(once).root!)).toBe(once);
        expect(JSON.parse(once)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("setFields()", () => {
  test("sets, adds and leaves the rest as it was written", () => {
    const text = '{ "on_error": "fail-fast", "actions": [12345678901234567890] }';
    expect(setFields(text, readJson(text).root, { on_error: "partial-success", dry_run: true })).toBe(
      '{"dry_run":true, "on_error": "partial-success", "actions": [12345678901234567890] }',
    );
    expect(setFields("{}", readJson("{}").root, { dry_run: true })).toBe('{"dry_run":true}');
    expect(setFields("[]", readJson("[]").root, { dry_run: true })).toBe("[]");
  });
});
