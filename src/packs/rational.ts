/** A fraction in lowest terms; the denominator is positive. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export const toRational = (n: bigint, d = 1n): Rational => {
  const divisor = gcd(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / divisor, d: d / divisor };
};

export const add = (a: Rational, b: Rational): Rational => toRational(a.n * b.d + b.n * a.d, a.d * b.d);
export const multiply = (a: Rational, b: Rational): Rational => toRational(a.n * b.n, a.d * b.d);
export const negate = ({ n, d }: Rational): Rational => ({ n: -n, d });
/** One over it, which must not be zero. */
export const invert = ({ n, d }: Rational): Rational => (n < 0n ? { n: -d, d: -n } : { n: d, d: n });

/** The next whole number below it. */
export function floor({ n, d }: Rational): bigint {
  const quotient = n / d;
  return n < 0n && quotient * d !== n ? quotient - 1n : quotient;
}

/** The exact square root, or null when it is not rational. */
export function exactRoot({ n, d }: Rational): Rational | null {
  const [top, bottom] = [wholeRoot(n), wholeRoot(d)];
  return top === null || bottom === null ? null : { n: top, d: bottom };
}

/** By Newton's method, from above. */
function wholeRoot(square: bigint): bigint | null {
  if (square < 0n) return null;
  let root = 1n << BigInt((bitsOf(square) + 1) >> 1);
  for (;;) {
    const next = root === 0n ? 0n : (root + square / root) >> 1n;
    if (next >= root) return root * root === square ? root : null;
    root = next;
  }
}

/** How many bits a whole number has, give or take four. */
export function bitsOf(value: bigint): number {
  return 4 * value.toString(16).length;
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Write it in full, as a decimal that ends; null when it does not end within so many places. */
export function toFiniteDecimal({ n, d }: Rational, maxPlaces: number): string | null {
  let places = 0;
  let scale = 1n;
  while (scale % d !== 0n) {
    if (places === maxPlaces) return null;
    places += 1;
    scale *= 10n;
  }
  const digits = ((n < 0n ? -n : n) * (scale / d)).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return `${n < 0n ? "-" : ""}${whole}${places === 0 ? "" : `.${digits.slice(-places)}`}`;
}
