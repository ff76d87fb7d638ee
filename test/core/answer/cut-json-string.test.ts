import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { weighTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { cutJsonString, isCuttable, shortest } from "../../../src/core/answer/cut-json-string.ts";

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

  test("stays within the room, keeps a head, and keeps no less with more room, whatever the text", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
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

describe("isCuttable()", () => {
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
