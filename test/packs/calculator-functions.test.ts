import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { evaluate } from "../../src/packs/calculator.ts";
import { FUNCTIONS } from "../../src/packs/calculator-functions.ts";
import { errorOf, valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

const resultOf = (expression: string): string => valueOf(evaluate(expression)).result;
const valueAt = (expression: string): number => valueOf(evaluate(expression)).value;

const SAME = [
  "abs",
  "sign",
  "cbrt",
  "exp",
  "sin",
  "cos",
  "tan",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "floor",
  "ceil",
  "trunc",
] as const;
const POSITIVE = ["sqrt", "log10", "log2"] as const;

trial.each([...SAME, ...POSITIVE, "asin", "acos"] as const)(
  "%s is that of the platform, in as many digits as a double has",
  (name) => {
    const points =
      name === "asin" || name === "acos"
        ? [-1, -0.5, 0, 0.25, 1]
        : (POSITIVE as readonly string[]).includes(name)
          ? [0.001, 0.5, 1, 2, 77.5]
          : [-2.5, -1, -0.25, 0, 0.3, 1, 1.5, 4];
    for (const x of points) expect(valueAt(`${name}(${x})`), `${name}(${x})`).toBeCloseTo(Math[name](x), 12);
  },
);

test.each<[string, string]>([
  ["abs(-1/3)", "0.333333333333333"],
  ["sign(-0.1)", "-1"],
  ["sign(0)", "0"],
  ["sign(7)", "1"],
  ["sqrt(0)", "0"],
  ["floor(-2)", "-2"],
  ["ceil(2.1)", "3"],
  ["ceil(2)", "2"],
  ["trunc(1.9)", "1"],
  ["round(2.4)", "2"],
  ["round(-2.5)", "-3"],
  ["round(1234.5678, 2)", "1234.57"],
  ["round(1.005, 2)", "1.01"],
  ["round(1/3, 20)", "0.33333333333333333333"],
  ["log(8, 2)", "3"],
  ["log(e)", "1"],
  ["ln(1)", "0"],
  ["atan2(1, -1)", "2.35619449019234"],
  ["atan2(0, 1)", "0"],
  ["sin(0)", "0"],
  ["sin(2 pi)", "0"],
  ["cos(pi)", "-1"],
  ["tan(pi)", "0"],
  ["sin(1e-20)", "1e-20"],
  ["tan(1e-30)", "1e-30"],
  ["cosh(0)", "1"],
  ["pow(2, 10)", "1024"],
  ["pow(2, 0.5)", "1.4142135623731"],
  ["mod(7, 3)", "1"],
  ["mod(-7, 3)", "2"],
  ["mod(7, -3)", "-2"],
  ["5.5 mod 2", "1.5"],
  ["factorial(0)", "1"],
  ["factorial(5)", "120"],
  ["combinations(5, 0)", "1"],
  ["combinations(5, 5)", "1"],
  ["combinations(10, 7)", "120"],
  ["combinations(10, 3)", "120"],
  ["permutations(5, 5)", "120"],
  ["permutations(5, 0)", "1"],
  ["gcd(12)", "12"],
  ["gcd(12, 18, 8)", "2"],
  ["gcd(-12, 18)", "6"],
  ["lcm(4, 6, 10)", "60"],
  ["lcm(0, 5)", "0"],
  ["lcm(5, 0)", "0"],
  ["min(3, 1, 2)", "1"],
  ["min(2)", "2"],
  ["max(3, 1, 5, 2)", "5"],
  ["min(sqrt(2), 1.5)", "1.4142135623731"],
  ["sum(1, 2, 3.5)", "6.5"],
  ["mean(1, 2)", "1.5"],
  ["median(5)", "5"],
  ["median(2, 1)", "1.5"],
  ["median(9, 1, 10)", "9"],
  ["median(1, 2, 3, 4)", "2.5"],
  ["hypot(1, 1)", "1.4142135623731"],
  ["hypot(2, 3, 6)", "7"],
  ["tau/pi", "2"],
  ["phi^2 - phi", "1"],
  ["180 deg", "3.14159265358979"],
  ["2^(-3)", "0.125"],
  ["(-2)^3", "-8"],
  ["(1/2)^-3", "8"],
  ["0^2", "0"],
  ["0^0.5", "0"],
  ["+5", "5"],
  ["--5", "5"],
  ["200 - 10%", "180"],
  ["1e-400*1e400", "1"],
  ["2^1023", (2n ** 1023n).toString()],
  ["170!/169!", "170"],
])("%s is %s", (expression, result) => {
  expect(resultOf(expression)).toBe(result);
});

test.each<[string, string]>([
  ["sqrt(-4)", "sqrt of a negative number is not real; there are no complex numbers here."],
  ["ln(-1)", "ln of a negative number is not real; there are no complex numbers here."],
  ["ln(0)", "ln of zero is not a number."],
  ["log10(0)", "log10 of zero is not a number."],
  ["log2(-1)", "log2 of a negative number is not real; there are no complex numbers here."],
  ["log(2, 1)", "The expression divides by zero."],
  ["log(2, 0)", "log of zero is not a number."],
  ["log(0)", "log of zero is not a number."],
  ["mod(1, 0)", "The expression divides by zero."],
  ["0^(-0.5)", "The expression divides by zero."],
  ["(-2)^0.5", "A negative number has no real power that is not whole; there are no complex numbers here."],
  ["gcd(1.5, 2)", "gcd takes whole numbers."],
  ["lcm(pi, 2)", "lcm takes whole numbers."],
  ["combinations(1.5, 1)", "combinations takes whole numbers."],
  ["combinations(3, 4)", "combinations and permutations take n and k, whole numbers with 0 <= k <= n."],
  ["combinations(3, -1)", "combinations and permutations take n and k, whole numbers with 0 <= k <= n."],
  ["combinations(5000, 2500)", "The result is beyond 1.8e308."],
  ["round(1, 0.5)", "round takes a number and a whole number of places, 0 to 20."],
  ["round(1, -1)", "round takes a number and a whole number of places, 0 to 20."],
  ["round(1, 21)", "round takes a number and a whole number of places, 0 to 20."],
  ["floor(1e9*e^90)", "A number is too large for its whole part to be known exactly."],
  ["sin(1e12+1)", "sin takes numbers between -1000000000000 and 1000000000000."],
  ["exp(-1e13)", "exp takes numbers between -1000000000000 and 1000000000000."],
  ["cosh(1e13)", "cosh takes numbers between -1000000000000 and 1000000000000."],
  ["tan(270 deg)", "tan has no value at a right angle."],
  ["(-1)!", "A factorial is that of a whole number from 0 to 170."],
  ["171!", "A factorial is that of a whole number from 0 to 170."],
  ["nothing(1)", `There is no such function; there are ${[...FUNCTIONS.keys()].join(", ")}.`],
  ["nothing", "There is no constant, variable or unit of that name here; there are pi, e, tau, phi, deg."],
  ["sin", "sin is a function: write its argument in parentheses, such as sin(2)."],
  ["sqrt(1, 2)", "sqrt takes 1 arguments."],
  ["mod(1)", "mod takes 2 arguments."],
  ["sum()", "sum takes 1 or more arguments."],
  ["round()", "round takes 1 or more arguments."],
  ["log(1, 2, 3)", "log takes 1 or more arguments."],
  ["1 & 1", "The operators are + - * / ^ ! % and mod."],
  [
    "x = 1",
    "Only one formula of numbers, operators and functions can be computed: no assignments, lists, text, comparisons or functions of one's own.",
  ],
  ["true", "Only numbers can be computed: no text and no truth values."],
  ["acos(2)", "The result is not a real number."],
  ["10^308*10", "The result is beyond 1.8e308, the largest number there is here."],
  [
    "2 *",
    "The expression cannot be read from character 4 on; write it like 2*(3+4)^2, without thousands separators, text or units.",
  ],
])("%s: %s", (expression, problem) => {
  expect(errorOf(evaluate(expression))).toBe(problem);
});

describe("what is exact stays exact", () => {
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });

  trial("a rounded number is off by half a place at most, and its digits end there", () => {
    fc.assert(
      fc.property(whole, fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 5 }), (n, d, places) => {
        const rounded = resultOf(`round(${n}/${d}, ${places})`);
        expect((rounded.split(".")[1] ?? "").length).toBeLessThanOrEqual(places);
        expect(Math.abs(Number(rounded) - n / d)).toBeLessThanOrEqual(0.5 * 10 ** -places + 1e-9);
      }),
    );
  });

  test("a remainder has its divisor's sign and is smaller", () => {
    fc.assert(
      fc.property(
        whole,
        whole.filter((b) => b !== 0),
        (a, b) => {
          const rest = valueAt(`mod(${a}, ${b})`);
          expect(Math.abs(rest)).toBeLessThan(Math.abs(b));
          expect(rest === 0 || Math.sign(rest) === Math.sign(b)).toBe(true);
          expect((a - rest) % b).toBeCloseTo(0);
        },
      ),
    );
  });

  trial("the smallest, the largest and the middle are those of the sorted numbers", () => {
    fc.assert(
      fc.property(fc.array(whole, { minLength: 1, maxLength: 9 }), (numbers) => {
        const sorted = numbers.toSorted((a, b) => a - b);
        const given = numbers.join(",");
        const half = sorted.length >> 1;
        const middle = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
        expect([valueAt(`min(${given})`), valueAt(`max(${given})`), valueAt(`median(${given})`)]).toEqual([
          sorted[0],
          sorted.at(-1),
          middle,
        ]);
      }),
    );
  });
});
