/** Something that passed a limit at a moment that is only known to lie between these, on the clock of `performance.now()`. */
export interface Passage {
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Find by how many the worst window is above limit + what comes back within it; 0 when none is.
 *
 * A window is counted from the earliest moment its first passage may have had to the latest of its last, so an excess is certain:
 * the time that a request was under way is not counted.
 */
export function findExcess(passages: readonly Passage[], rate: { limit: number; windowS: number }): number {
  const perMs = rate.limit / (rate.windowS * 1_000);
  const byEnd = [...passages].sort((a, b) => a.notAfter - b.notAfter);
  let worst = 0;
  for (const { notBefore: from } of passages) {
    let count = 0;
    for (const { notBefore, notAfter } of byEnd) {
      if (notBefore < from) continue;
      count += 1;
      // A clock of whole milliseconds may be one off at either end.
      worst = Math.max(worst, count - rate.limit - (notAfter - from + 2) * perMs);
    }
  }
  return Math.ceil(worst);
}
