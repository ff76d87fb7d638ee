import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { countRoughly, useTokenCounter, weighTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { cutJsonString, isCuttable, shortest } from "../../../src/core/answer/cut-json-string.ts";
import { countO200k } from "../../../src/features/tokens/count-o200k.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { trial } from "../../support/trial.ts";

afterEach(() => useTokenCounter(countO200k));

/** Cut text where it would stand in a document: after a colon. */
function cut(text: string, room: number): { text: string; dropped: number; weight: number } {
  const json = `:${JSON.stringify(text)}`;
  const { json: kept, dropped } = cutJsonString(json, { start: 1, end: json.length, room });
  return { text: JSON.parse(kept) as string, dropped, weight: weighTokens(`:${kept}`, 1) };
}

describe("cutJsonString()", () => {
  test("keeps whole words", () => {
    const { text, dropped } = cut("The fuel pump may fail, and the engine may stall. ".repeat(4), 8_000);
    expect(text).toBe("The fuel pump may fail,…");
    expect(dropped).toBe(4 * 50 - text.length + 1);
  });

  test.each([
    ["before a line break", "word\n".repeat(50), /^(word\n)*word…$/],
    ["before a run of blanks", "word    ".repeat(50), /^(word {4})*word…$/],
    ["between Chinese characters", "燃料泵可能会失效".repeat(30), /^[燃料泵可能会失效]+…$/],
    ["after a multiple of 64 where there is no blank", "QmFzZTY0".repeat(100), /^(?:.{64})+…$/],
  ])("cuts %s", (_, text, shape) => {
    const kept = cut(text, 60_000).text;
    expect(kept).toMatch(shape);
    expect(kept.length).toBeLessThan(text.length);
  });

  test("leaves the mark alone when not one word fits", () => {
    expect(cut("Donaudampfschiff ".repeat(20), shortest())).toEqual({
      text: "…",
      dropped: 340,
      weight: shortest(),
    });
  });

  test("weighs the mark by the counter in use, whichever was used before", () => {
    const fitted = shortest();
    useTokenCounter(countRoughly);
    expect(shortest()).toBe(weighTokens(':"…"', 1));
    expect(shortest()).not.toBe(fitted);
    useTokenCounter(countO200k);
    expect(shortest()).toBe(fitted);
  });

  trial("stays within the room, keeps a head, and keeps no less with more room, whatever the text", () => {
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 400 }),
      fc
        .array(fc.constantFrom("\\", '"', "\n", "\u0001", "\ud800", "😀", "ab", " ", "燃"), {
          maxLength: 400,
        })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, fc.nat(60_000), fc.nat(5_000), (text, room, more) => {
        const less = cut(text, shortest() + room);
        expect(less.weight).toBeLessThanOrEqual(shortest() + room);
        expect(text.startsWith(less.text.slice(0, -1))).toBe(true);
        expect(less.dropped).toBe(text.length - less.text.length + 1);
        expect(cut(text, shortest() + room + more).text.length).toBeGreaterThanOrEqual(less.text.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** All that is ever left of a text, as JSON without its quotes and the mark, whatever the room. */
function headsOf(text: string): string[] {
  const json = `:${JSON.stringify(text)}`;
  const tail = shortest() - weighTokens(':"', 1);
  const rooms = Array.from(json, (_, end) => weighTokens(json, 1, end) + tail);
  const heads = rooms.map((room) => {
    const enough = Math.max(shortest(), room);
    const kept = cutJsonString(json, { start: 1, end: json.length, room: enough });
    expect(weighTokens(`:${kept.json}`, 1)).toBeLessThanOrEqual(enough);
    expect(kept.json).toMatch(/^".*…"$/s);
    return kept.json.slice(1, -2);
  });
  return [...new Set(heads)];
}

describe("a JSON string may be cut", () => {
  test.each<[string, string, string[]]>([
    ["before a blank, never between two", "one two   three", ["", "one", "one two"]],
    ["nowhere before its first word", "   one two", ["", "   one"]],
    [
      "before the escape of a line break or a tab",
      "one\ntwo\rsix\tten",
      ["", "one", "one\\ntwo", "one\\ntwo\\rsix"],
    ],
    ["before no other escape", 'one\btwo\fsix"ten\u0001end', [""]],
    ["before no letter behind an escaped backslash", "one\\nine two", ["", "one\\\\nine"]],
    ["before a line break behind an escaped backslash", "one\\\ntwo", ["", "one\\\\"]],
    ["behind each character of Han or kana", "ab燃料の", ["", "ab燃", "ab燃料", "ab燃料の"]],
    ["behind the first and the last such character", "ab\u2e80c\ud7afd", ["", "ab\u2e80", "ab\u2e80c\ud7af"]],
    ["behind none on either side of them", "ab\u2e7fc\ud7b0d", [""]],
  ])("%s", (_, text, heads) => {
    expect(headsOf(text)).toEqual(heads);
  });

  test("where there is no blank behind each 64th character", () => {
    const text = "aB3/".repeat(50);
    expect(headsOf(text)).toEqual([0, 64, 128, 192].map((length) => text.slice(0, length)));
  });

  test("behind a multiple of 64 only until a blank comes, which is later", () => {
    const text = `${"a".repeat(100)} ${"b".repeat(100)}`;
    expect(headsOf(text)).toEqual([0, 64, 100].map((length) => text.slice(0, length)));
  });

  test.each<[string, string, number, number]>([
    ["in an escape of two characters", '"', 1, 1],
    ["in an escaped backslash", "\\", 1, 1],
    ["in the escape of a code, behind its backslash", "\u001b", 1, 1],
    ["in the escape of a code, behind its u", "\u001b", 2, 2],
    ["in the escape of a code, before its last digit", "\u001b", 5, 5],
    ["behind the escape of a code", "\u001b", 6, 0],
    ["behind an escape of two characters", '"', 2, 0],
    ["behind an escaped backslash", "\\", 2, 0],
    ["in a pair of halves", "\u{1f511}", 1, 1],
    ["behind a pair of halves", "\u{1f511}", 2, 0],
    ["in the first pair of halves that there is", "\u{10000}", 1, 1],
    ["behind the first pair of halves that there is", "\u{10000}", 2, 0],
    ["in the last pair of halves that there is", "\u{10ffff}", 1, 1],
    ["behind a letter u that an escaped backslash stands before", "\\u123", 3, 0],
  ])("%s no", (_, part, inside, back) => {
    // The 64th character of the JSON stands so far inside of it.
    const head = "a".repeat(64 - inside);
    const [, first] = headsOf(`${head}${part}${"b".repeat(70)}`);
    expect(first).toBe(`${head}${JSON.stringify(part).slice(1, -1)}`.slice(0, 64 - back));
  });

  test("with as many of its characters said to be missing as are", () => {
    const text = `one "two" ${"\u{1f511}".repeat(10)} end`;
    for (let room = shortest(); room < 20_000; room += 500) {
      const { text: kept, dropped } = cut(text, room);
      expect(text.length - (kept.length - 1)).toBe(dropped);
    }
  });

  test("down to its mark, which weighs what it weighs between a colon and what follows", () => {
    expect(shortest()).toBe(weighTokens(':"…"', 1));
    expect(cut("word ".repeat(30), shortest()).text).toBe("…");
  });
});

describe("isCuttable()", () => {
  test("of a text of more than 80 characters, as JSON writes them", () => {
    const of = (text: string): boolean => isCuttable(JSON.stringify(text), 0, JSON.stringify(text).length);
    expect([of("x".repeat(80)), of("x".repeat(81)), of('"'.repeat(40)), of('"'.repeat(41))]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test("of a link of more than 2,048 characters, and of what only has a link in it", () => {
    const of = (text: string): boolean => isCuttable(JSON.stringify(text), 0, JSON.stringify(text).length);
    for (const scheme of ["https:", "http:"])
      expect([of(scheme.padEnd(2_048, "x")), of(scheme.padEnd(2_049, "x"))]).toEqual([false, true]);
    expect(of(`see https:${"x".repeat(100)}`)).toBe(true);
    for (const scheme of ["httpx:", "xhttp:", "http/"]) expect(of(scheme.padEnd(100, "x"))).toBe(true);
  });

  test("of the part that is asked for", () => {
    const parts = [
      "x".repeat(80),
      "word ".repeat(20),
      `https://example.com/${"x".repeat(100)}`,
      "y".repeat(81),
    ];
    const json = JSON.stringify(parts);
    const cuttable = parts.map((part) => {
      const start = json.indexOf(JSON.stringify(part));
      return isCuttable(json, start, start + part.length + 2);
    });
    expect(cuttable).toEqual([false, true, false, true]);
  });

  test.each([
    ["a name", "Jiffy Lube", false],
    ["a link", `https://example.com/${"x".repeat(500)}`, false],
    ["a link that is not followed", `https://example.com/${"x".repeat(5_000)}`, true],
    ["a paragraph", "The fuel pump may fail. ".repeat(5), true],
  ])("of %s", (_, text, cuttable) => {
    const json = JSON.stringify(text);
    expect(isCuttable(json, 0, json.length)).toBe(cuttable);
  });
});
