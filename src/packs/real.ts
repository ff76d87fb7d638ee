import { type BigNumber as Decimal, create, type MathJsInstance, parseDependencies } from "mathjs";

import {
  add,
  bitsOf,
  exactRoot,
  floor,
  invert,
  multiply,
  negate,
  type Rational,
  toFiniteDecimal,
  toRational,
} from "./rational.ts";

/** mathjs for its parser, and for decimals of 40 digits: what is not rational is right in many more digits than are shown. */
const math = create(parseDependencies!, { number: "BigNumber", precision: 40 }) as unknown as Pick<
  MathJsInstance,
  "parse"
> & { readonly BigNumber: DecimalClass };
export const { parse, BigNumber: Decimals } = math;

/** As much of the class as is used: mathjs does not say that it is that of decimal.js. */
interface DecimalClass {
  new (value: string | number): Decimal;
  atan2(y: Decimal, x: Decimal): Decimal;
}

/** A number: exact as long as it is rational and not too long. */
export type Real = Rational | Decimal;

/** A fraction whose parts are longer goes on as a decimal: the largest number that can be answered has 1,024 bits. */
const MAX_BITS = 2_048;
/** A decimal with more places than this is shown rounded. */
const MAX_PLACES = 400;
const SHOWN_DIGITS = 15;
/** Decimals hold 40 digits, of which the last few may be wrong. */
const SURE_DIGITS = 30;

export const isExact = (value: Real): value is Rational => "n" in value;
export const isWhole = (value: Real): value is Rational => isExact(value) && value.d === 1n;

export function toDecimal(value: Real): Decimal {
  return isExact(value) ? new Decimals(value.n.toString()).div(new Decimals(value.d.toString())) : value;
}

/** Take a decimal as exact: it is what was written, or a whole number that a function made. */
export function fromWritten(value: Decimal): Real {
  // The exponent of ten first: `1e9999999` is seven characters, and all its digits are megabytes.
  if (!value.isFinite() || Math.abs(value.e) > MAX_PLACES) return value;
  const [whole = "", fraction = ""] = value.toFixed().split(".");
  return toRational(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

export const sum = (a: Real, b: Real): Real =>
  isExact(a) && isExact(b) ? fit(add(a, b)) : toDecimal(a).add(toDecimal(b));

export const product = (a: Real, b: Real): Real =>
  isExact(a) && isExact(b) ? fit(multiply(a, b)) : toDecimal(a).mul(toDecimal(b));

/** @param b is not zero */
export const quotient = (a: Real, b: Real): Real =>
  isExact(b) ? product(a, invert(b)) : toDecimal(a).div(b);

/** The next whole number below it; null where a decimal is too large for its digits to tell. */
export function toFloor(value: Real): bigint | null {
  if (isExact(value)) return floor(value);
  return value.isFinite() && value.e < SURE_DIGITS ? BigInt(value.floor().toFixed()) : null;
}

export const opposite = (value: Real): Real => (isExact(value) ? negate(value) : value.neg());
export const isZero = (value: Real): boolean => (isExact(value) ? value.n === 0n : value.isZero());
export const isNegative = (value: Real): boolean => (isExact(value) ? value.n < 0n : value.isNegative());

export function compare(a: Real, b: Real): number {
  if (!isExact(a) || !isExact(b)) return toDecimal(a).cmp(toDecimal(b));
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Raise to a power. A result that is not real (`(-8)^0.5`) is NaN; zero to a negative power is for the caller to refuse. */
export function power(base: Real, exponent: Real): Real {
  if (isExact(base) && isWhole(exponent)) {
    const times = exponent.n < 0n ? -exponent.n : exponent.n;
    const bits = Math.max(bitsOf(base.n), bitsOf(base.d));
    // By its length first: `9^9^9` is five characters.
    if (times * BigInt(bits) <= 2 * MAX_BITS) {
      const raised = { n: base.n ** times, d: base.d ** times };
      return fit(exponent.n < 0n ? invert(raised) : raised);
    }
  }
  return toDecimal(base).pow(toDecimal(exponent));
}

export function squareRoot(value: Real): Real {
  return (isExact(value) ? exactRoot(value) : null) ?? toDecimal(value).sqrt();
}

function fit(value: Rational): Real {
  return bitsOf(value.n) > MAX_BITS || bitsOf(value.d) > MAX_BITS ? toDecimal(value) : value;
}

/** Write a number: exactly where it is rational and its decimal ends, else with 15 significant digits. */
export function show(value: Real): string {
  const exact = isExact(value) ? toFiniteDecimal(value, MAX_PLACES) : null;
  return exact ?? toDecimal(value).toSignificantDigits(SHOWN_DIGITS).toString();
}
