import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens, reachTokens, weighTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";
import { anyCharacter } from "../../support/any-character.ts";

const FIXTURES = new URL("../../fixtures/token-estimates/", import.meta.url);

/** Outputs as a tool would give them, written as the envelope writes them. */
const fixtures = readdirSync(FIXTURES).map((file) => {
  const data: unknown = JSON.parse(readFileSync(new URL(file, FIXTURES), "utf8"));
  const json = JSON.stringify(data);
  const tokens = encode(json).length;
  return { name: file.replace(".json", ""), data, json, tokens, error: estimateTokens(json) / tokens - 1 };
});

const percent = (error: number): string => `${error < 0 ? "" : "+"}${(100 * error).toFixed(1)} %`;

describe("estimateTokens()", () => {
  test.each(fixtures)("is within 15 % of o200k_base on $name", ({ name, json, tokens, error }) => {
    console.log(
      `${name.padEnd(24)} ${String(tokens).padStart(5)} tokens, ${json.length} characters: ${percent(error)}`,
    );
    expect(Math.abs(error)).toBeLessThanOrEqual(0.15);
  });

  test("is off by 5 % in the mean at most", () => {
    const mean = fixtures.reduce((sum, { error }) => sum + Math.abs(error), 0) / fixtures.length;
    console.log(`mean error ${percent(mean)} of ${fixtures.length} fixtures`);
    expect(fixtures.length).toBeGreaterThanOrEqual(12);
    expect(mean).toBeLessThanOrEqual(0.05);
  });

  test.each([
    ["", 0],
    ["null", 1],
    ["[]", 1],
    ["{}", 1],
    ["7", 1],
    ['{"places":[]}', 4],
  ])("of '%s' is %i", (json, tokens) => {
    expect(estimateTokens(json)).toBe(tokens);
  });

  test("is never 0 for text, never less for more of it, and whole", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 1 }),
        fc.string({ unit: anyCharacter }),
        (text, more) => {
          const tokens = estimateTokens(text);
          expect(Number.isInteger(tokens) && tokens >= 1).toBe(true);
          expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(tokens);
        },
      ),
    );
  });

  trial("takes hostile text in one pass", { timeout: 60_000 }, () => {
    // Looked at anew for each character this would take minutes.
    for (const unit of ["[", '"', "\\", "A", "aA", "€", "\u{1F600}", " ", "1"]) {
      expect(estimateTokens(unit.repeat(1_000_000))).toBeGreaterThanOrEqual(1);
    }
  });
});

/** From articles that had no part in fitting the weights. */
const { texts } = JSON.parse(
  readFileSync(new URL("../../fixtures/human-rights.json", import.meta.url), "utf8"),
) as { texts: Record<string, string> };

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

describe("estimateTokens() of text that JSON says in one string", () => {
  trial.each(Object.entries(texts))("is within 15 %% of o200k_base in %s, or at its floor", (_, text) => {
    const json = JSON.stringify(text);
    const [tokens, estimate] = [encode(json).length, estimateTokens(json)];
    expect(estimate).toBeGreaterThanOrEqual(0.85 * tokens);
    // Georgian has nine bytes a token.
    expect(estimate).toBeLessThanOrEqual(Math.max(1.15 * tokens, 1.08 * (bytesOf(json) / 8)));
  });

  /** Characters that prose does not have in such a row, and that a vocabulary knows few of. */
  const oneOf = (from: number, to: number) =>
    fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code));
  const rows = (unit: fc.Arbitrary<string>) => fc.string({ unit, minLength: 300, maxLength: 400 });
  trial.each([
    ["structural marks", rows(fc.constantFrom(...Array.from("{}[],:")))],
    ["structural marks and quotes", rows(fc.constantFrom(...Array.from('{}[],:"')))],
    ["one structural mark", fc.constantFrom(...Array.from('{}[],:"')).map((mark) => mark.repeat(400))],
    ["punctuation", rows(fc.constantFrom(...Array.from("!#$%&'()*+,-./:;<=>?@[]^_`{|}~")))],
    ["ASCII", rows(oneOf(33, 126))],
    ["lower case", rows(oneOf(97, 122))],
    ["spaces between letters", rows(oneOf(97, 122).map((letter) => `${letter} `))],
    ["digits between commas", rows(oneOf(48, 57).map((digit) => `${digit},`))],
    ["all of Unicode", rows(fc.oneof(oneOf(0x80, 0xd7_ff), oneOf(0xe0_00, 0x10_ff_ff)))],
    ["the basic plane", rows(fc.oneof(oneOf(0x80, 0xd7_ff), oneOf(0xe0_00, 0xff_ff)))],
    ["Han of extension B", rows(oneOf(0x2_00_00, 0x2_a6_df))],
    ["Han, rare and common", rows(oneOf(0x4e_00, 0x9f_ff))],
    ["Hangul, rare and common", rows(oneOf(0xac_00, 0xd7_a3))],
    ["Tibetan", rows(oneOf(0xf_40, 0xf_bc))],
    ["zero-width and bidirectional controls", rows(fc.constantFrom("\u200c", "\u200d", "\u202e", "\u2066"))],
    ["combining marks", rows(oneOf(0x3_00, 0x3_6f))],
    [
      "letters with many marks",
      rows(fc.tuple(oneOf(97, 122), rows(oneOf(0x3_00, 0x3_6f))).map(([a, b]) => a + b.slice(0, 5))),
    ],
    ["families of emoji", rows(fc.constant("👨‍👩‍👧‍👦"))],
    [
      "hands of all colours",
      rows(
        fc
          .tuple(fc.constantFrom(...Array.from("👍👋🙏")), oneOf(0x1_f3_fb, 0x1_f3_ff))
          .map((pair) => pair.join("")),
      ),
    ],
    ["control characters", rows(oneOf(0, 31))],
    ["line breaks", fc.constant("\n".repeat(400))],
  ])("is at least seven tenths of the tokens of %s", (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const json = JSON.stringify(text);
        expect(estimateTokens(json)).toBeGreaterThanOrEqual(0.7 * encode(json).length);
      }),
      { numRuns: samples(10) },
    );
  });

  const MARKS = Array.from("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
  const expectWithinTwo = (text: string): void => {
    const json = JSON.stringify(text);
    const [tokens, estimate] = [encode(json).length, estimateTokens(json)];
    expect(estimate, `${json}: ${tokens} tokens, estimated ${estimate}`).toBeGreaterThanOrEqual(tokens / 2);
    // A vocabulary has `====…` of any length, which no estimate below an eighth of the bytes can say.
    const most = Math.max(2 * tokens + 2, bytesOf(json) / 8 + 3);
    expect(estimate, `${json}: ${tokens} tokens, estimated ${estimate}`).toBeLessThanOrEqual(most);
  };

  trial.each([
    ["in turn", (one: string, other: string) => (one + other).repeat(60)],
    ["in turn, twice each", (one: string, other: string) => `${one}${one}${other}${other}`.repeat(30)],
    ["of which one stands twice", (one: string, other: string) => (one + one + other).repeat(40)],
    ["of which one stands often", (one: string, other: string) => (one.repeat(7) + other).repeat(15)],
  ])("is within a factor of 2 of a run of any two marks %s", (_, runOf) => {
    for (const one of MARKS) for (const other of MARKS) expectWithinTwo(runOf(one, other));
  });

  test("is within a factor of 2 of a run of two marks in any order, in a text of other things too", () => {
    const two = fc.uniqueArray(fc.constantFrom(...MARKS), { minLength: 2, maxLength: 2 });
    const run = two.chain((marks) =>
      fc.string({ unit: fc.constantFrom(...marks), minLength: 100, maxLength: 300 }),
    );
    fc.assert(
      fc.property(run, fc.boolean(), (text, isInside) => {
        expectWithinTwo(isInside ? `Title\n${text}\nand text` : text);
      }),
      { numRuns: samples(500) },
    );
  });

  trial.each([
    ["in turn", (one: string, other: string) => (one + other).repeat(60)],
    ["in turn, twice each", (one: string, other: string) => `${one}${one}${other}${other}`.repeat(30)],
  ])("is within a factor of 2.1 of a run of a common sign and another character %s", (_, runOf) => {
    const signs = Array.from("、。「」…—•“”→│═─█░●★€°·");
    for (const one of signs)
      for (const other of [...signs, ...Array.from("=-#*|~+:一は")]) {
        if (one === other) continue;
        const json = JSON.stringify(runOf(one, other));
        const ratio = estimateTokens(json) / encode(json).length;
        expect([one, other, ratio > 1 / 2.1 && ratio < 2.1]).toEqual([one, other, true]);
      }
  });

  test("is the same of JSON's own marks, however few kinds of them stand in a row", () => {
    for (const [json, tokens] of [
      ["[[],[],[],[]]", 5],
      ['["","","",""]', 4],
      ["[{},{},{},{}]", 6],
    ] as const)
      expect([json, estimateTokens(json)]).toEqual([json, tokens]);
  });

  trial("is at least seven tenths of the tokens of empty lists, objects and texts in any nesting", () => {
    const { empties } = fc.letrec<{ empties: unknown }>((tie) => ({
      empties: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("", {}, []),
        fc.array(tie("empties"), { maxLength: 20 }),
        fc.dictionary(fc.constantFrom("", "a"), tie("empties"), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(empties, { minLength: 100, maxLength: 200 }), (data) => {
        const json = JSON.stringify(data);
        expect(estimateTokens(json)).toBeGreaterThanOrEqual(0.7 * encode(json).length);
      }),
    );
  });

  test("T31 is never less than an eighth of the bytes, whatever the text", () => {
    const piece = fc
      .tuple(
        fc.oneof(fc.string({ unit: anyCharacter, maxLength: 3 }), fc.constantFrom(" ", "\\", '"', "a", "é")),
        fc.nat(20),
      )
      .map(([unit, times]) => unit.repeat(times));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        for (const one of [text, JSON.stringify(text), JSON.stringify(pieces)])
          expect(estimateTokens(one)).toBeGreaterThanOrEqual(bytesOf(one) / 8);
      }),
      { numRuns: samples(1_000) },
    );
  });
});

describe("weighTokens()", () => {
  trial("of an object's or array's parts adds up to that of the whole, whatever is inside", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1 }), (data) => {
        const json = JSON.stringify(data);
        let weight = weighTokens(json, 0, 1);
        let at = 1;
        for (const element of data) {
          const end = at + JSON.stringify(element).length + 1;
          weight += weighTokens(json, at, end);
          at = end;
        }
        expect(weight).toBe(weighTokens(json));
      }),
      { numRuns: samples(1_000) },
    );
  });
});

describe("reachTokens()", () => {
  test("goes as far as the limit allows and not one character further", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(20_000), (json, limit) => {
        const end = reachTokens(json, { from: 0, to: json.length, limit });
        expect(weighTokens(json, 0, end)).toBeLessThanOrEqual(limit);
        if (end < json.length) expect(weighTokens(json, 0, end + 1)).toBeGreaterThan(limit);
      }),
    );
  });
});
