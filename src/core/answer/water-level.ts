/** The bounds of one share among several: never less than `min`, never more than `whole`. */
export interface Share {
  readonly min: number;
  readonly whole: number;
}

/**
 * Find the highest level at which everyone's part of `total` (the level, held between its min and its whole) still
 * fits: who needs less than the level leaves the rest to the others. Whole numbers only.
 *
 * With a larger total the level is never lower. When not even the minima fit it is 0.
 */
export function waterLevel(shares: readonly Share[], total: number): number {
  const sum = (level: number): number => shares.reduce((sum, share) => sum + partOf(share, level), 0);
  let low = 0;
  let high = Math.max(0, ...shares.map(({ whole }) => whole));
  while (low < high) {
    const level = Math.ceil((low + high) / 2);
    if (sum(level) <= total) low = level;
    else high = level - 1;
  }
  return low;
}

/** The part that a share gets at a level. */
export function partOf({ min, whole }: Share, level: number): number {
  return Math.min(whole, Math.max(min, level));
}
