import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { weighTokens } from "../../src/answer/estimate-tokens.ts";
import { JsonEntries } from "../../src/answer/json-entries.ts";

/** Read a container back from its entries, to any depth. */
function read(json: string, entries: JsonEntries, start: number, end: number): unknown {
  if (json[start] !== "[" && json[start] !== "{") return JSON.parse(json.slice(start, end));
  const parts = [...entries.of(start)].map((entry): [unknown, unknown] => {
    expect(entry.weight).toBe(weighTokens(json, entry.start, entry.end + 1));
    const key: unknown =
      entry.start === entry.valueStart ? null : JSON.parse(json.slice(entry.start, entry.valueStart - 1));
    return [key, read(json, entries, entry.valueStart, entry.end)];
  });
  return json[start] === "["
    ? parts.map(([, value]) => value)
    : Object.fromEntries(parts as [string, unknown][]);
}

const HARD_TEXT = 'a"b\\c]d}e,f:g[{\\';

describe("JsonEntries", () => {
  test("finds every entry, with what it weighs", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const data: unknown = JSON.parse(JSON.stringify({ [HARD_TEXT]: [value, HARD_TEXT, value] }));
        const json = JSON.stringify(data);
        expect(read(json, new JsonEntries(json), 0, json.length)).toEqual(data);
      }),
    );
  });

  test("knows large values, too", () => {
    const rows = Array.from({ length: 300 }, (_, id) => ({ id, text: HARD_TEXT }));
    const data = { a: { rows, text: HARD_TEXT.repeat(500) }, b: [[rows]], c: 1 };
    const json = JSON.stringify(data);
    expect(read(json, new JsonEntries(json), 0, json.length)).toEqual(data);
  });

  test.each([
    ["[1,2,3,4]", 2, 3],
    ["[1]", 2, 0],
    ['{"a":1,"b":[1,2],"c":{"d":3}}', 6, 2],
    ['{"a":1,"]":"}","c":[]}', 6, 2],
  ])("counts what follows in %s after %i", (json, end, count) => {
    expect(new JsonEntries(json).countAfter(end)).toBe(count);
  });

  test("walks over nesting that would overflow a stack", () => {
    const json = `[${"[".repeat(200_000)}${"]".repeat(200_000)},1]`;
    expect([...new JsonEntries(json).of(0)]).toHaveLength(2);
  });
});
