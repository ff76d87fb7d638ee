import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { evaluate } from "../../src/packs/calculator.ts";
import { errorOf as reasonOf, valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

const resultOf = (expression: string): string => valueOf(evaluate(expression)).result;
const errorOf = (expression: string): string => reasonOf(evaluate(expression));

test.each([
  ["355/113", "3.14159292035398"],
  ["sqrt(2)", "1.4142135623731"],
  ["e^pi", "23.1406926327793"],
  ["2^64", "18446744073709551616"],
  ["0.1+0.2", "0.3"],
  ["20!", "2432902008176640000"],
  ["12345678901234567890*98765432109876543210", "1219326311370217952237463801111263526900"],
  ["1/3", "0.333333333333333"],
  ["1/3*3", "1"],
  ["1/8", "0.125"],
  ["2^-2", "0.25"],
  ["sqrt(1/4)", "0.5"],
  ["2^3^2", "512"],
  ["-2^2", "-4"],
  ["2**10", "1024"],
  ["6÷2×3 − 1", "8"],
  ["π", "3.14159265358979"],
  ["2pi", "6.28318530717959"],
  ["3(4+5)", "27"],
  ["0*-1", "0"],
  ["0^0", "1"],
  ["1e3 + .5", "1000.5"],
  ["1e400/1e399", "10"],
  ["0xff", "255"],
])("%s is %s", (expression, result) => {
  expect(resultOf(expression)).toBe(result);
});

test.each([
  ["50%", "0.5"],
  ["15% * 80", "12"],
  ["15% of 80", "12"],
  ["200 + 10%", "220"],
  ["5 % 3", "2"],
  ["-7 mod 3", "2"],
])("%s is %s: a percentage, or a remainder", (expression, result) => {
  expect(resultOf(expression)).toBe(result);
});

test.each([
  ["sin(30 deg)", "0.5"],
  ["sin(pi)", "0"],
  ["cos(90 deg)", "0"],
  ["tan(45 deg)", "1"],
  ["sin(1e-30)", "1e-30"],
  ["log(1000, 10)", "3"],
  ["log10(1000)", "3"],
  ["log2(8)", "3"],
  ["ln(e)", "1"],
  ["cbrt(-8)", "-2"],
  ["8^(1/3)", "2"],
  ["sinh(1)", "1.1752011936438"],
  ["tanh(1000)", "1"],
  ["round(2.5)", "3"],
  ["round(-2.345, 2)", "-2.35"],
  ["floor(sqrt(10))", "3"],
  ["ceil(-1.5)", "-1"],
  ["trunc(-1.5)", "-1"],
  ["gcd(12, 18)", "6"],
  ["lcm(-4, 6)", "12"],
  ["mean(1, 2, 4)", "2.33333333333333"],
  ["median(3, 1, 2, 10)", "2.5"],
  ["hypot(3, 4)", "5"],
  ["combinations(50, 6)", "15890700"],
  ["permutations(5, 2)", "20"],
  ["max(1/3, 0.3)", "0.333333333333333"],
])("%s is %s", (expression, result) => {
  expect(resultOf(expression)).toBe(result);
});

describe("An expression without a value says why", () => {
  test.each([
    ["1/0", "divides by zero"],
    ["1 mod 0", "divides by zero"],
    ["0^-1", "divides by zero"],
    ["sqrt(-1)", "no complex numbers"],
    ["(-8)^(1/3)", "no complex numbers"],
    ["ln(0)", "ln of zero"],
    ["asin(2)", "not a real number"],
    ["tan(90 deg)", "right angle"],
    ["171!", "from 0 to 170"],
    ["1.5!", "from 0 to 170"],
    ["2^5000 mod 7", "too large"],
    ["1,000", "thousands separators"],
    ["1 +", "cannot be read"],
    ["3 km", "constant, variable or unit"],
    ["sqrt", "write its argument in parentheses"],
    ["max()", "1 or more"],
    ["sin(1, 2)", "takes 1"],
    ["1 == 1", "operators are"],
  ])("%s: %s", (expression, reason) => {
    expect(errorOf(expression)).toContain(reason);
  });

  test.each([
    "import('x')",
    "createUnit('x')",
    "evaluate('1')",
    "parse('1')",
    "simplify('x')",
    "derivative('x', 'x')",
    "cos.constructor('return 1')()",
    "x = 1",
    "f(x) = x",
    "'a'",
    "[1, 2]",
    "1:1e9",
    "{a: 1}",
    "a.b",
    "1; 2",
    "true",
    "true ? 1 : 2",
    "#",
  ])("%s is nothing that is computed", (expression) => {
    expect(evaluate(expression).ok).toBe(false);
  });
});

describe("The work is bounded, whatever is asked", () => {
  test.each([
    "9^9^9",
    "9^9^9^9^9",
    "factorial(1e6)",
    "1e999999999",
    "1e308*10",
    "exp(1e12)",
    "sinh(1e12)",
    "combinations(1e9, 5e8)",
    "2^1e15",
    "3!!!!!!!!",
  ])("%s is refused", (expression) => {
    expect(errorOf(expression)).toMatch(/1\.8e308|from 0 to 170|too large/);
  });

  trial.each([
    `${"(".repeat(250)}1${")".repeat(250)}`,
    `${"-".repeat(499)}1`,
    `${"2^".repeat(249)}1`,
    `${"sin(1e12)+".repeat(49)}1`,
    `${"1.1^".repeat(124)}1`,
    `${"1/7^700+".repeat(62)}1`,
    `${"sinh(1e12)*".repeat(45)}1`,
    `${"exp(-1e12)+".repeat(45)}1`,
  ])("%s ends", (expression) => {
    expect(evaluate(expression)).toHaveProperty("ok");
  });
});

trial("what is rational is exact: sums, products and quotients of fractions", () => {
  const whole = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
  fc.assert(
    fc.property(whole, whole, whole, (a, b, c) => {
      expect(resultOf(`(${a})*(${b}) + (${c})`)).toBe(String(a * b + c));
      if (c !== 0n)
        expect(resultOf(`((${a})*(${b}) + (${a})/(${c}) - (${a})/(${c})) * 1`)).toBe(String(a * b));
    }),
  );
});

test("any text is computed or refused with a sentence; nothing throws", () => {
  const piece = fc.constantFrom(
    ...Array.from("0123456789.+-*/^!%(),eπ "),
    "sqrt(",
    "sin(",
    "mod ",
    "deg",
    "[",
    "'",
    "=",
    ";",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const computed = evaluate(pieces.join(""));
      if (computed.ok) expect(Number.isFinite(computed.value.value)).toBe(true);
      else expect(computed.error).toMatch(/^[^\n]{10,400}\.$/);
    }),
  );
});
