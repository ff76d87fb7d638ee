/** Find the value below which the fraction `q` of the sorted values lies (nearest rank). */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const rank = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1));
  return sorted[rank] ?? Number.NaN;
}

/** Find the middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/** Say how far the values lie apart, as a fraction of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** The mean of the values between two quantiles. */
export function trimmedMean(
  values: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const sorted = values.toSorted((a, b) => a - b);
  const kept = sorted.slice(Math.floor(sorted.length * from), Math.ceil(sorted.length * to));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

/**
 * An interval that holds the median of what the values were drawn from with a probability of 95 %, by order statistics: the k-th smallest
 * and the k-th largest, for the largest k for which the values beyond either are at most 2.5 % (binomial with p = 1/2). Fewer than six
 * values have no such interval, and all of them are told.
 */
export function intervalOfMedian(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  let beyond = 0;
  let ways = 1;
  let k = 0;
  for (; k < sorted.length / 2; k += 1) {
    beyond += ways / 2 ** sorted.length;
    if (beyond > 0.025) break;
    ways = (ways * (sorted.length - k)) / (k + 1);
  }
  const at = Math.max(0, k - 1);
  return [sorted[at] ?? Number.NaN, sorted[sorted.length - 1 - at] ?? Number.NaN];
}
