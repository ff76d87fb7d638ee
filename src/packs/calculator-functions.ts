import type { BigNumber as Decimal } from "mathjs";

import { NotComputable } from "./not-computable.ts";
import { gcd, toRational } from "./rational.ts";
import {
  compare,
  Decimals,
  isExact,
  isNegative,
  isWhole,
  isZero,
  opposite,
  power,
  product,
  quotient,
  type Real,
  squareRoot,
  sum,
  toDecimal,
  toFloor,
} from "./real.ts";

interface MathFunction {
  readonly least: number;
  readonly most: number;
  readonly compute: (args: readonly Real[]) => Real;
}

/** 170! is the last factorial below 1.8e308. */
const MAX_FACTORIAL = 170n;
/** A number larger than the largest double is no answer. */
const MAX_BITS = 1_024;
/** The sine of a larger angle takes more digits of pi than are known here, and e to a larger number is beyond every bound. */
const MAX_ARGUMENT = 1e12;
/** Places that a number can be rounded to: more than are shown of what does not end. */
const MAX_PLACES = 20n;

const pi = (): Decimal => new Decimals(-1).acos();

export const CONSTANTS: ReadonlyMap<string, () => Real> = new Map<string, () => Real>([
  ["pi", pi],
  ["e", () => new Decimals(1).exp()],
  ["tau", () => pi().mul(2)],
  ["phi", () => new Decimals(5).sqrt().add(1).div(2)],
  ["deg", () => pi().div(180)],
]);

/** The functions that can be called, by name. Each does an amount of work that its argument's size does not decide. */
export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map(
  Object.entries({
    sqrt: one((x) => squareRoot(notNegative("sqrt", x))),
    cbrt: one((x) => toDecimal(x).cbrt()),
    abs: one((x) => (isNegative(x) ? opposite(x) : x)),
    sign: one((x) => (isZero(x) ? toRational(0n) : toRational(isNegative(x) ? -1n : 1n))),
    floor: one(floor),
    ceil: one((x) => opposite(floor(opposite(x)))),
    trunc: one((x) => (isNegative(x) ? opposite(floor(opposite(x))) : floor(x))),
    round: some(1, 2, round),
    exp: one((x) => bounded("exp", x).exp()),
    ln: one((x) => positive("ln", x).ln()),
    log: some(1, 2, ([x, base]) => logarithm(x!, base)),
    log10: one((x) => positive("log10", x).log(10)),
    log2: one((x) => positive("log2", x).log(2)),
    sin: one((x) => orZero(x, bounded("sin", x).sin())),
    cos: one((x) => orZero(x, bounded("cos", x).cos())),
    tan: one(tangent),
    asin: one((x) => toDecimal(x).asin()),
    acos: one((x) => toDecimal(x).acos()),
    atan: one((x) => toDecimal(x).atan()),
    atan2: some(2, 2, ([y, x]) => Decimals.atan2(toDecimal(y!), toDecimal(x!))),
    sinh: one((x) => halfExponentials("sinh", x, -1)),
    cosh: one((x) => halfExponentials("cosh", x, 1)),
    tanh: one((x) => quotient(halfExponentials("tanh", x, -1), halfExponentials("tanh", x, 1))),
    pow: some(2, 2, ([base, exponent]) => raise(base!, exponent!)),
    mod: some(2, 2, ([a, b]) => modulo(a!, b!)),
    factorial: one(factorial),
    combinations: some(2, 2, ([n, k]) => choose(n!, k!)),
    permutations: some(2, 2, ([n, k]) => product(choose(n!, k!), factorial(k!))),
    gcd: list((args) => toRational(wholes("gcd", args).reduce(gcd))),
    lcm: list((args) => toRational(wholes("lcm", args).reduce(lcm))),
    min: list((args) => args.reduce((a, b) => (compare(a, b) <= 0 ? a : b))),
    max: list((args) => args.reduce((a, b) => (compare(a, b) >= 0 ? a : b))),
    sum: list((args) => args.reduce(sum)),
    mean: list((args) => quotient(args.reduce(sum), toRational(BigInt(args.length)))),
    median: list(median),
    hypot: list((args) => squareRoot(args.map((x) => product(x, x)).reduce(sum))),
  }),
);

function some(least: number, most: number, compute: MathFunction["compute"]): MathFunction {
  return { least, most, compute };
}

function one(compute: (x: Real) => Real): MathFunction {
  return some(1, 1, ([x]) => compute(x!));
}

function list(compute: MathFunction["compute"]): MathFunction {
  return some(1, Number.POSITIVE_INFINITY, compute);
}

/** Divide; zero is no divisor. */
export function divide(a: Real, b: Real): Real {
  if (isZero(b)) throw new NotComputable("The expression divides by zero.");
  return quotient(a, b);
}

/** Raise to a power, where that is a real number. */
export function raise(base: Real, exponent: Real): Real {
  if (isZero(base) && isNegative(exponent)) throw new NotComputable("The expression divides by zero.");
  if (isNegative(base) && !isWhole(exponent) && !isZero(base))
    throw new NotComputable(
      "A negative number has no real power that is not whole; there are no complex numbers here.",
    );
  return power(base, exponent);
}

function floor(x: Real): Real {
  const whole = toFloor(x);
  if (whole === null)
    throw new NotComputable("A number is too large for its whole part to be known exactly.");
  return toRational(whole);
}

/** Half away from zero, as people round. */
function round([x, places = toRational(0n)]: readonly Real[]): Real {
  if (!isWhole(places) || places.n < 0n || places.n > MAX_PLACES)
    throw new NotComputable(`round takes a number and a whole number of places, 0 to ${MAX_PLACES}.`);
  const scale = toRational(10n ** places.n);
  const scaled = product(isNegative(x!) ? opposite(x!) : x!, scale);
  const rounded = quotient(floor(sum(scaled, toRational(1n, 2n))), scale);
  return isNegative(x!) ? opposite(rounded) : rounded;
}

/** The rest of a zero when the angle was a multiple of pi, of which 40 digits are known, 12 of them before the point. */
function orZero(angle: Real, value: Decimal): Real {
  return value.abs().lt("1e-25") && toDecimal(angle).abs().gt(1) ? toRational(0n) : value;
}

function tangent(x: Real): Real {
  const angle = bounded("tan", x);
  const cosine = orZero(x, angle.cos());
  if (isZero(cosine)) throw new NotComputable("tan has no value at a right angle.");
  return quotient(orZero(x, angle.sin()), cosine);
}

/** `sinh` or `cosh`: the series of decimal.js takes for ever on large numbers. */
function halfExponentials(name: string, x: Real, sign: 1 | -1): Decimal {
  const power = bounded(name, x).exp();
  return power.add(new Decimals(sign).div(power)).div(2);
}

function modulo(a: Real, b: Real): Real {
  return sum(a, opposite(product(b, floor(divide(a, b)))));
}

function factorial(x: Real): Real {
  if (!isWhole(x) || x.n < 0n || x.n > MAX_FACTORIAL)
    throw new NotComputable(`A factorial is that of a whole number from 0 to ${MAX_FACTORIAL}.`);
  let value = 1n;
  for (let factor = 2n; factor <= x.n; factor += 1n) value *= factor;
  return toRational(value);
}

function choose(n: Real, k: Real): Real {
  const [all = 0n, some = 0n] = wholes("combinations", [n, k]);
  if (some < 0n || all < some)
    throw new NotComputable("combinations and permutations take n and k, whole numbers with 0 <= k <= n.");
  const fewer = some < all - some ? some : all - some;
  let value = 1n;
  // It at least doubles with every step, so there are about a thousand at most.
  for (let step = 1n; step <= fewer; step += 1n) {
    value = (value * (all - fewer + step)) / step;
    if (value >> BigInt(MAX_BITS) > 0n) throw new NotComputable("The result is beyond 1.8e308.");
  }
  return toRational(value);
}

function logarithm(x: Real, base?: Real): Real {
  const natural = positive("log", x).ln();
  return base === undefined ? natural : divide(natural, positive("log", base).ln());
}

function lcm(a: bigint, b: bigint): bigint {
  const multiple = a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * b;
  return multiple < 0n ? -multiple : multiple;
}

function median(args: readonly Real[]): Real {
  const sorted = args.toSorted(compare);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[half]!
    : quotient(sum(sorted[half - 1]!, sorted[half]!), toRational(2n));
}

function wholes(name: string, args: readonly Real[]): bigint[] {
  return args.map((x) => {
    if (!isExact(x) || x.d !== 1n) throw new NotComputable(`${name} takes whole numbers.`);
    return x.n;
  });
}

function notNegative(name: string, x: Real): Real {
  if (isNegative(x) && !isZero(x))
    throw new NotComputable(`${name} of a negative number is not real; there are no complex numbers here.`);
  return x;
}

function positive(name: string, x: Real): Decimal {
  if (isZero(x)) throw new NotComputable(`${name} of zero is not a number.`);
  return toDecimal(notNegative(name, x));
}

function bounded(name: string, x: Real): Decimal {
  const decimal = toDecimal(x);
  if (decimal.abs().gt(MAX_ARGUMENT))
    throw new NotComputable(`${name} takes numbers between -${MAX_ARGUMENT} and ${MAX_ARGUMENT}.`);
  return decimal;
}
