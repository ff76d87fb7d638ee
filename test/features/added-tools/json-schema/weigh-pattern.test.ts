import fc from "fast-check";
import { expect, test } from "vitest";

import {
  parsePattern,
  type Pattern,
} from "../../../../src/features/added-tools/json-schema/parse-pattern.ts";
import { stepsOf, weighPattern } from "../../../../src/features/added-tools/json-schema/weigh-pattern.ts";
import { trial } from "../../../support/trial.ts";

const weigh = (source: string): ReturnType<typeof weighPattern> => weighPattern(source, { left: 1e6 });

const BAD = [
  "(a+)+$",
  "(a*)*b",
  "(x|x)*y",
  "(a|aa)+$",
  "(a|a?)+$",
  "^(a?){30}a{30}$",
  "([a-zA-Z]+)*$",
  "(.*)*x",
  "(a+)+",
  "a*a*b",
  "^\\s*(.*)\\s*$",
  "(\\w+\\s?)+$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(?:a|b|ab)*c",
  "([\\/\\w .-]*)*\\/?$",
  "^(\\d+)*$",
  "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b",
  "(a?|b?)(a?|b?)(a?|b?)(a?|b?)(a?|b?)(a?|b?)(a?|b?)(a?|b?)(a?|b?)c",
  "a?".repeat(30) + "a".repeat(30),
  "(?:a*){2,}b",
  "(?=(a+)+b)c",
  "(?:(?=a*b)a)*c",
  "(a)\\1",
  "(?<=a+)b",
  "(?<x>a)\\k<x>",
  "((a{100}){100}){100}b?".repeat(3),
  "(a{1,200}){1,200}b",
  "(?:\\p{L}|\\w)+$",
  "^(.|\\n)*[^x](.|\\n)*$",
  "(",
  "[z-a]",
  "\\_",
  "(?i:a)b",
];
const GOOD = [
  "^[A-Z]{2}$",
  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
  "^[a-z0-9]+(?:-[a-z0-9]+)*$",
  "^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  "\\S",
  "^.{1,10000}$",
  "^[\\s\\S]{1,4096}$",
  "^(\\d+,)*\\d+$",
  "^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$",
  "^(?=.*[A-Z])(?=.*\\d).{8,}$",
  "^https?:\\/\\/[^\\s/$.?#].[^\\s]*$",
  "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
  "^$|^[a-z]+$",
  "^\\p{L}+$",
  "x+x",
  "^(?:red|green|blue|grey)$",
  "^[A-Z]{2,20}[A-Z0-9]{1,20}$",
  "^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\\d{12}:.*$",
  "^#(?:[0-9a-fA-F]{3}){1,2}$",
  "",
  "^\\+?[1-9]\\d{1,14}$",
  "^(?<year>\\d{4})$",
  "[\\u{1F600}-\\u{1F64F}]",
  "^(?!-)[a-z-]+$",
  "\\bfoo\\b",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
];

test.each(BAD)("T37 the pattern %s is refused", (source) => {
  expect(weigh(source).ok).toBe(false);
});

test.each(GOOD)("the pattern %s is weighed", (source) => {
  expect(weigh(source)).toMatchObject({ ok: true });
});

/** Search as ECMAScript does, and never be content: the characters that were matched on all ways, at every place. */
function countSteps(source: string, text: string): number {
  const parsed = parsePattern(source);
  if (!parsed.ok) throw new Error(parsed.error);
  const characters = Array.from(text, (character) => character.codePointAt(0)!);
  let steps = 0;
  type Go = (at: number) => boolean;
  const run = (pattern: Pattern, at: number, go: Go): boolean => {
    if (steps > 100_000) return true;
    switch (pattern.kind) {
      case "set": {
        const code = characters[at];
        if (code === undefined || !pattern.set.some(([from, to]) => from <= code && code <= to)) return false;
        steps += 1;
        return go(at + 1);
      }
      case "sequence":
        return pattern.parts.reduceRight<Go>((next, part) => (from) => run(part, from, next), go)(at);
      case "choice":
        return pattern.parts.some((part) => run(part, at, go));
      case "repeat": {
        const { part, min, max } = pattern;
        const round = (from: number, made: number): boolean => {
          if (made === max) return go(from);
          const again = run(part, from, (to) => (made >= min && to === from ? false : round(to, made + 1)));
          return again || (made >= min && go(from));
        };
        return round(at, 0);
      }
      case "ahead":
        run(pattern.part, at, () => false);
        return go(at);
      case "start":
        return at === 0 && go(at);
      default:
        return go(at);
    }
  };
  for (let start = 0; start <= characters.length; start += 1) run(parsed.value, start, () => false);
  return steps;
}

const pieces = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("a", "b", "[ab]", ".", "\\w", "[^a]", "c"),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => one + other),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"))
      .map(([one, many]) => `(?:${one})${many}`),
    tie("pattern").map((one) => `(?=${one})`),
  ),
}));

trial("T37 a pattern that is weighed takes no more steps than it was weighed at", () => {
  const ends = fc.constantFrom("", "^", "$");
  fc.assert(
    fc.property(
      pieces.pattern,
      ends,
      fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 14 }),
      (piece, end, text) => {
        const source = end === "^" ? `^(?:${piece})` : piece + end;
        const weighed = weigh(source);
        fc.pre(weighed.ok);
        const cost = (weighed as { value: Parameters<typeof stepsOf>[0] }).value;
        expect(countSteps(source, text)).toBeLessThanOrEqual(stepsOf(cost, text.length));
      },
    ),
    { numRuns: 500 },
  );
});

trial("the search that counts finds what is refused to be as slow as was said", () => {
  for (const source of ["(a+)+$", "(a|aa)+$", "(?:a?){12}a{12}b", "(a*)*b"])
    expect(countSteps(source, "a".repeat(24))).toBeGreaterThan(50_000);
});
