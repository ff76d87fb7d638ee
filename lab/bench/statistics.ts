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
