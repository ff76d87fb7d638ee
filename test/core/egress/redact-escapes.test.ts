import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createPieceRedactor, createRedactor } from "../../../src/core/egress/redact.ts";
import { samples } from "../../support/samples.ts";

/** The text as it is in JSON where this secret is hidden. */
function redact(secret: string, text: string): string {
  return JSON.parse(createRedactor([secret])(JSON.stringify(text))) as string;
}

const hex = (text: string, between = ""): string =>
  Array.from(Buffer.from(text), (byte) => byte.toString(16).padStart(2, "0")).join(between);
const percentAll = (text: string): string => `%${hex(text, "%")}`;
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const codeOf = (character: string): number => character.codePointAt(0)!;

/** Ways in which one character may be written. None of them can be taken for a part of the next one. */
const WAYS: readonly ((character: string) => string)[] = [
  (character) => character,
  percentAll,
  (character) => percentAll(percentAll(character)),
  unit,
  (character) => json(unit(character)),
  (character) => `&#${codeOf(character)};`,
  (character) => `&amp;#x${codeOf(character).toString(16)};`,
];

describe("createRedactor() leaves", () => {
  it("what differs from a secret in one character, however the characters are written", () => {
    const letters = Array.from("aZ09-_.~!/=\u00e9\u20ac");
    const written = fc.array(fc.tuple(fc.constantFrom(...letters), fc.nat(WAYS.length - 1)), {
      minLength: 6,
      maxLength: 20,
    });
    fc.assert(
      fc.property(written, fc.nat(), fc.constantFrom(...letters), (characters, at, other) => {
        const place = at % characters.length;
        fc.pre(characters[place]![0] !== other);
        const secret = characters.map(([character]) => character).join("");
        const text = characters
          .map(([character, way], index) => WAYS[way]!(index === place ? other : character))
          .join("");
        expect([secret, redact(secret, text)]).toEqual([secret, text]);
      }),
      { numRuns: samples(300) },
    );
  });

  it.each([
    ["another character where the secret has a space", "abc def", "abc-def"],
    ["a plus sign where the secret has a letter", "abcdef", "a+cdef"],
    ["another character of the same plane", "ab\u{1f511}cdef", "ab\u{1f512}cdef"],
    ["half of the secret's character", "ab\u{1f511}cdef", "ab\ud83d-cdef"],
    ["the letter of a line break", "abc\ndef", "abcndef"],
    ["the letter of a line break behind a percent sign", "ab%\ncdef", "ab%ncdef"],
    ["another character behind a backslash", "ab\\cdefg", "ab\\Xdefg"],
    ["an escape where the secret has a backslash", "ab\\cdef", "ab%63def"],
    ["another end behind a percent sign", "ab%cdef", "ab%zzzz"],
    ["an ampersand where the secret has a percent sign", "ab%cdef", "ab&cdef"],
    ["an escaped ampersand where the secret has a percent sign", "ab%cdef", "ab&amp;cdef"],
    ["an entity's name behind an escaped letter", "ab&cdef", "ab%41amp;cdef"],
    ["hex with another prefix than 0x", "abcdef", "61 1x62 63 64 65 66"],
    ["hex with another letter behind the 0", "abcdef", "61 0y62 63 64 65 66"],
    ["hex with another byte", "abcdef", "61 62 63 64 65 67"],
    ["hex with a control character between", "abcdef", "61\u000162\u000163\u000164\u000165\u000166"],
    ["base64 with a control character between", "abcdefghi", "YWJj\u0001ZGVm\u0001Z2hp"],
    ["base64 with another digit", "abcdefghi", "YWJjZGVnZ2hp"],
    ["a percent sign and one letter", "ab\u0001cdef", "ab%zcdef"],
    ["a percent sign, a digit and a letter", "ab\u0001cdef", "ab%1zcdef"],
    ["a percent sign and half a code", "ab?cdef", "ab%4zcdef"],
    ["a percent sign and an at sign", "abcydef", "abc%7@def"],
    ["a backslash and a letter", "ab\u0001cdef", "ab\\acdef"],
    ["an entity that does not end", "ab<cdef", "ab&lt-cdef"],
    ["an entity of no known name", "ab\u0001cdef", "ab&zz;cdef"],
    ["an entity of no digits, for NUL", "ab\0cdef", "ab&#;cdef"],
    ["an entity of no digits, for what is not read", "ab\u0001cdef", "ab&#;cdef"],
    ["an entity of nine digits", "abcdef", "&#000000097;bcdef"],
    ["a hex digit in a decimal entity", "abcdef", "abc&#9a;ef"],
    ["a letter between an entity and the rest", "abcdef", "&#97zbcdef"],
    ["no digits behind \\x", "ab\u0001cdef", "ab\\xzzcdef"],
  ])("%s", (_, secret, text) => {
    expect(redact(secret, text)).toBe(text);
  });

  it("the text as it was written where a secret only seems to stand in its escapes", () => {
    const text = '"\\/ \\nabcdef"';
    expect(createRedactor(["nabcdef"])(text)).toBe(text);
  });
});

describe("createRedactor() finds", () => {
  it("control characters, with their short escapes and their code points", () => {
    const secret = "ab\bcd\tef\ngh\fij\rkl";
    for (const text of [secret, json(secret), json(json(secret)), percentAll(secret)])
      expect(redact(secret, `(${text})`)).toBe("([redacted])");
  });

  it("a line break behind the secret's own backslashes", () => {
    const secret = "ab\\\ncdef";
    for (const text of [secret, json(secret), json(json(secret))])
      expect(redact(secret, `(${text})`)).toBe("([redacted])");
  });

  it("a secret that looks like escapes itself", () => {
    for (const secret of ["ab\\x78cdef", "ab%78cdef", "ab&#120;cdef"])
      expect(redact(secret, `(${secret})`)).toBe("([redacted])");
  });

  it.each([
    ["NUL at the beginning", "\0abcdef"],
    ["NUL in the middle", "ab\0cdef"],
    ["the first character beyond ASCII at the beginning", "\u0080abcdef"],
    ["the first character beyond ASCII in the middle", "ab\u0080cdef"],
    ["a letter at the beginning whose bytes have letters for digits", "\u00e9abcdef"],
  ])("%s", (_, secret) => {
    for (const text of [
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      percentAll(secret),
      hex(secret).toUpperCase(),
      hex(secret, "\t"),
    ])
      expect([text, redact(secret, `(${text})`)]).toEqual([text, "([redacted])"]);
  });

  it("secrets that stand side by side as two", () => {
    expect(redact("s3cr3t-key", "s3cr3t-keys3cr3t-key")).toBe("[redacted][redacted]");
  });

  it("hex behind the 0x of the first byte, which is left", () => {
    expect(redact("\u0001abcdef", `0x${hex("\u0001abcdef", " 0x")}`)).toBe("0x[redacted]");
  });

  it("an entity that its neighbour ends, and one of eight digits", () => {
    expect(redact("abcdef", "(&#97bcdef)")).toBe("([redacted])");
    expect(redact("abcdef", "(&#00000097;bcdef)")).toBe("([redacted])");
  });

  it("a character behind a backslash where it is no letter and no digit: those would be escapes", () => {
    for (let code = 33; code < 127; code += 1) {
      const character = String.fromCharCode(code);
      if ("%&\\".includes(character)) continue;
      const text = `ab\\${character}def`;
      const expected = /\w/.test(character) && character !== "_" ? text : "[redacted]";
      expect(redact(`ab${character}def`, text)).toBe(expected);
    }
  });

  it("a break of up to 32 blanks between digits, and none that is longer", () => {
    const [first, rest] = [hex("abc"), hex("def")];
    expect(redact("abcdef", `${first}${" ".repeat(32)}${rest}`)).toBe("[redacted]");
    const longer = `${first}${" ".repeat(33)}${rest}`;
    expect(redact("abcdef", longer)).toBe(longer);
  });

  it.each([
    ["a letter", "abcdef", 9, (times: number) => `ab%${"25".repeat(times - 1)}63def`],
    ["a percent sign", "ab%cdef", 8, (times: number) => `ab%${"25".repeat(times)}cdef`],
    ["an ampersand", "ab&cdef", 8, (times: number) => `ab&${"amp;".repeat(times)}cdef`],
    ["a mark in entities", "ab<cdef", 9, (times: number) => `ab&${"amp;".repeat(times - 1)}lt;cdef`],
  ])("%s that is escaped so often, and no oftener", (_, secret, most, write) => {
    for (let times = 1; times <= most; times += 1) expect(redact(secret, write(times))).toBe("[redacted]");
    expect(redact(secret, write(most + 1))).toBe(write(most + 1));
  });
});

describe("createPieceRedactor()", () => {
  it("holds nothing where there is nothing to find", () => {
    const redact = createPieceRedactor(["", "short"]);
    expect(redact("short of s3cr", false)).toEqual({ clean: "short of s3cr", held: "" });
  });

  it("holds as much as the longest of the secrets may take when every character is escaped", () => {
    const long = "k3y-".repeat(50);
    const redact = createPieceRedactor(["s3cr3t", long]);
    const text = Array.from(long, unit).join("");
    const first = redact(text.slice(0, -1), false);
    expect(first).toEqual({ clean: "", held: text.slice(0, -1) });
    expect(redact(first.held + text.slice(-1), true)).toEqual({ clean: "[redacted]", held: "" });
  });
});
