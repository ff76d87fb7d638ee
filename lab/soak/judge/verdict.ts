/** The finding about one thing that must hold. */
export interface Verdict {
  readonly what: string;
  readonly found: string;
  readonly bound: string;
  readonly isFine: boolean;
  /** Each case against it, in words. */
  readonly cases?: readonly string[];
}

/** Make a verdict of a list of cases against something. */
export function judgeCases(what: string, checked: number, cases: readonly string[]): Verdict {
  const found = `${checked.toLocaleString("en")} looked at, ${cases.length} wrong`;
  return { what, found, bound: "none", isFine: cases.length === 0, cases };
}

/** Fold cut a list into its thirds. */
export function toThirds<T>(
  list: readonly T[],
  msOf: (one: T) => number,
): readonly [readonly T[], readonly T[], readonly T[]] {
  if (list.length === 0) return [[], [], []];
  const times = list.map(msOf);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const third = (to - from) / 3;
  const of = (k: number): readonly T[] =>
    list.filter((one) => Math.min(2, Math.floor((msOf(one) - from) / (third || 1))) === k);
  return [of(0), of(1), of(2)];
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
