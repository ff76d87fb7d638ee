import fc from "fast-check";
import { expect, test } from "vitest";
import { countLongNumbers, isJsonObject, parseExact } from "../../../src/core/contract/json.ts";
import { describe } from "../../../src/core/contract/issues.ts";
import { checkValue } from "../../../src/core/contract/check-value.ts";
import { cutValue, leastOf } from "../../../src/core/answer/cut-value.ts";
import { selectFields } from "../../../src/core/answer/select-fields.ts";
import { follow, pickPointers } from "../../../src/core/kit/json/json-pointer.ts";
import { leastJsonSize } from "../../../src/core/kit/json/least-json-size.ts";
import { errorOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

/** Numbers that no double is. */
const INEXACT = [
  "9007199254740993",
  "-9007199254740993",
  "12345678901234567890",
  "18446744073709551615",
  "123456789012345678901234567890",
  "1000000000000000000000",
  "0.1234567890123456789",
  "3.141592653589793238462643383279",
  "9007199254740993.0",
  "4.99999999999999999999",
  "1e400",
  "-1E+400",
  "1e-400",
  "12345678901234567890e5",
  "-0",
  "-0.0",
  "-0e5",
];

/** Numbers that one is, however they are written. */
const EXACT = [
  "0",
  "-1",
  "0.1",
  "1.10",
  "1.0",
  "1e2",
  "1E-7",
  "-112.07403729999999",
  "9007199254740992",
  "0.30000000000000004",
  "100000000000000000000",
  "1e21",
  "1.5e300",
  "5e-324",
  "0.000",
  "0e999999999",
  "1.7976931348623157e308",
];

/** Where a number may stand. */
const PLACES = [
  (number: string) => number,
  (number: string) => `[${number}]`,
  (number: string) => `[1,${number},2]`,
  (number: string) => `{"n":${number}}`,
  (number: string) => `{"n":\n  ${number}\n}`,
  (number: string) => ` ${number} `,
  (number: string) => `{"a":{"b":[{"c":${number},"d":"x"}]}}`,
];

const compact = (text: string): string => text.replaceAll(/\s/g, "");

test.each(INEXACT)("parseExact() keeps the digits of %s, wherever it stands", (number) => {
  for (const place of PLACES) {
    const text = place(number);
    expect(JSON.stringify(parseExact(text))).toBe(compact(text));
  }
});

test.each(EXACT)("parseExact() reads %s as the number that it is", (number) => {
  for (const place of PLACES) expect(parseExact(place(number))).toEqual(JSON.parse(place(number)));
});

test("parseExact() leaves strings and keys alone, and reserved keys where they are", () => {
  const text = '{"__proto__":12345678901234567890,"12345678901234567890":"1e400","s":"-0, 1e400"}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
  expect(Object.hasOwn(parseExact(text) as object, "__proto__")).toBe(true);
});

test("parseExact() refuses what is no JSON as JSON.parse() does", () => {
  for (const text of ["", "12345678901234567890x", "[1e400", "01234567890123456789", "+1e5", "{1e400:1}"])
    expect(() => parseExact(text)).toThrow(SyntaxError);
});

trial("parseExact() never changes the value of a number, nor any other value", () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,24})?(?:[eE][-+]?[0-9]{1,3})?$/);
  fc.assert(
    fc.property(fc.array(digits), fc.json(), (numbers, json) => {
      const [read, rest] = parseExact(`[[${numbers.join(",")}],${json}]`) as [unknown[], unknown];
      for (const [at, number] of numbers.entries()) {
        const written = JSON.stringify(read[at]);
        expect(sameDecimal(written, number)).toBe(true);
        if (typeof read[at] === "number") expect(Object.is(read[at], Number(number))).toBe(true);
      }
      expect(JSON.stringify(rest)).toBe(JSON.stringify(parseExact(json)));
    }),
  );
});

/** Exactly, with integers of any size. */
function sameDecimal(left: string, right: string): boolean {
  const [[a, x], [b, y]] = [toParts(left), toParts(right)];
  const least = Math.min(x, y);
  return a * 10n ** BigInt(x - least) === b * 10n ** BigInt(y - least);
}

function toParts(text: string): [digits: bigint, power: number] {
  const [, whole, part = "", power = "0"] = /^(-?\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text)!;
  return [BigInt(`${whole}${part}`), Number(power) - part.length];
}

/** In proportion to their square, these would take minutes, beyond the test's limit. */
trial("parseExact() takes time in proportion to the text", { timeout: 60_000 }, () => {
  const most = 1024 * 1024;
  for (const text of [
    "1".repeat(most),
    `1${"0".repeat(most)}1`,
    `0.${"0".repeat(most)}1`,
    `[${"1e5,".repeat(most / 8)}1]`,
    `[${"1234567890123456,".repeat(most / 32)}1]`,
    `"${"1.".repeat(most / 2)}"`,
    `"${":".repeat(most)}"`,
  ])
    expect(JSON.stringify(parseExact(text)).length).toBeGreaterThan(most / 16);
});

const BIG = parseExact("12345678901234567890");

test("a number with all its digits is a number to code that walks through data", () => {
  expect(isJsonObject(BIG)).toBe(false);
  expect(describe(BIG)).toBe("the number 12345678901234567890");
  expect(follow({ n: BIG }, ["n", "rawJSON"])).toMatchObject({ found: false, depth: 1 });
  expect(follow({ n: BIG }, ["n"])).toEqual({ found: true, value: BIG });
  expect(pickPointers({ n: BIG, m: 1 }, [["n"]])).toEqual({ n: BIG });
  expect(pickPointers({ n: BIG }, [["n", "rawJSON"]])).toEqual({ n: BIG });
  expect(leastJsonSize([BIG, BIG], 100)).toBe(5);
  expect(leastOf(BIG)).toBeNull();
});

test("a selection and a token budget keep a number's digits or drop it whole", () => {
  const data = { items: [{ id: BIG, name: "a" }], n: BIG, text: "x".repeat(9_000) };
  const selected = selectFields(data, [["n"], ["items", "0", "id"], ["n", "rawJSON"]]);
  expect(JSON.stringify(selected)).toBe(
    '{"data":{"items":[{"id":12345678901234567890}],"n":12345678901234567890},"missing":["/n/rawJSON"]}',
  );
  expect(JSON.stringify(cutValue(data, 200_000).data)).toMatch(
    /^\{"items":\[\{"id":12345678901234567890,"name":"a"\}\],"n":12345678901234567890,"text":"x+…?"\}$/,
  );
  expect(cutValue(BIG, 0).data).toBeNull();
});

test("an argument may be a number that keeps its digits, and none that is out of range or has lost them", () => {
  expect(checkValue({ a: [BIG] }, ["args"]).ok).toBe(true);
  expect(errorOf(checkValue({ a: [parseExact("1e400")] }, ["args"]))).toMatchObject({
    path: "/args/a/0",
    expected: "a finite number",
  });
  expect(errorOf(checkValue({ a: [2 ** 63] }, ["args"]))).toMatchObject({
    path: "/args/a/0",
    expected: "an integer within ±(2^53 - 1), or a string",
  });
});

test("countLongNumbers() counts what parseExact() has to look at, and no further than is enough", () => {
  const long = "1234567890123456789";
  expect(countLongNumbers('[1, 2.5, "text"]', 9)).toBe(0);
  expect(countLongNumbers(`[${long}, 1, 1e5]`, 9)).toBe(2);
  expect(countLongNumbers(`[${Array(50).fill(long).join(",")}]`, 9)).toBe(10);
});
