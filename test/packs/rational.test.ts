import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  add,
  bitsOf,
  exactRoot,
  floor,
  gcd,
  invert,
  multiply,
  negate,
  type Rational,
  toFiniteDecimal,
  toRational,
} from "../../src/packs/rational.ts";

const whole = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });
const nonZero = whole.filter((n) => n !== 0n);
const fraction = fc.tuple(whole, nonZero).map(([n, d]) => toRational(n, d));
const isLowest = ({ n, d }: Rational): boolean => d > 0n && gcd(n, d) === 1n;

test.each([
  [6n, 4n, "3/2"],
  [-6n, 4n, "-3/2"],
  [6n, -4n, "-3/2"],
  [-6n, -4n, "3/2"],
  [0n, -7n, "0/1"],
  [5n, undefined, "5/1"],
])("toRational(%s, %s) is %s, in lowest terms over a positive number", (n, d, written) => {
  const made = toRational(n, d);
  expect(`${made.n}/${made.d}`).toBe(written);
});

test("sums, products and the opposite are those of the fractions, in lowest terms", () => {
  fc.assert(
    fc.property(fraction, fraction, (a, b) => {
      const [sum, product] = [add(a, b), multiply(a, b)];
      expect(sum.n * a.d * b.d).toBe((a.n * b.d + b.n * a.d) * sum.d);
      expect(product.n * a.d * b.d).toBe(a.n * b.n * product.d);
      expect([sum, product].every(isLowest)).toBe(true);
      expect(add(a, negate(a))).toEqual({ n: 0n, d: 1n });
    }),
  );
});

test("one over a fraction times it is one, whatever its sign", () => {
  fc.assert(
    fc.property(nonZero, nonZero, (n, d) => {
      const value = toRational(n, d);
      expect(isLowest(invert(value))).toBe(true);
      expect(multiply(value, invert(value))).toEqual({ n: 1n, d: 1n });
    }),
  );
});

test("floor() is the largest whole number that is not above", () => {
  fc.assert(
    fc.property(fraction, (value) => {
      const below = floor(value);
      expect(below * value.d <= value.n && value.n < (below + 1n) * value.d).toBe(true);
    }),
  );
  expect([floor(toRational(-4n, 2n)), floor(toRational(-3n, 2n)), floor(toRational(3n, 2n))]).toEqual([
    -2n,
    -2n,
    1n,
  ]);
});

test("exactRoot() finds the root of a square and of nothing else", () => {
  fc.assert(
    fc.property(fraction, ({ n, d }) => {
      const root = n < 0n ? -n : n;
      expect(exactRoot({ n: n * n, d: d * d })).toEqual({ n: root, d });
      if (root > 1n) expect(exactRoot({ n: n * n + 1n, d: d * d })).toBeNull();
      if (root > 1n) expect(exactRoot({ n: n * n - 1n, d: d * d })).toBeNull();
    }),
  );
  expect(exactRoot({ n: 0n, d: 1n })).toEqual({ n: 0n, d: 1n });
  for (const n of [-4n, -1n, 2n, 3n]) expect(exactRoot({ n, d: 1n })).toBeNull();
  expect(exactRoot({ n: 1n, d: 2n })).toBeNull();
  expect(exactRoot({ n: 1n, d: 1n })).toEqual({ n: 1n, d: 1n });
});

test("bitsOf() is not less than the bits of a number, and at most four more", () => {
  for (const value of [1n, 2n, 255n, 256n, 10n ** 30n]) {
    const bits = value.toString(2).length;
    expect(bitsOf(value)).toBeGreaterThanOrEqual(bits);
    expect(bitsOf(value)).toBeLessThan(bits + 4);
  }
});

test("gcd() is that of the numbers without their signs", () => {
  expect([gcd(12n, 18n), gcd(-12n, 18n), gcd(12n, -18n), gcd(0n, 5n), gcd(5n, 0n), gcd(0n, 0n)]).toEqual([
    6n,
    6n,
    6n,
    5n,
    5n,
    0n,
  ]);
});

test.each<[bigint, bigint, number, string | null]>([
  [1n, 8n, 3, "0.125"],
  [1n, 8n, 2, null],
  [-1n, 8n, 3, "-0.125"],
  [1n, 3n, 400, null],
  [7n, 1n, 0, "7"],
  [-7n, 1n, 0, "-7"],
  [0n, 1n, 0, "0"],
  [1n, 1000n, 9, "0.001"],
  [12345n, 100n, 9, "123.45"],
  [5n, 2n, 0, null],
])("%s/%s within %s places is %s", (n, d, places, written) => {
  expect(toFiniteDecimal(toRational(n, d), places)).toBe(written);
});
