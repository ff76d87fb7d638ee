export interface Backoff {
  /** Attempts already made: 1 before the first retry. */
  readonly attempt: number;
  readonly initialMs: number;
  readonly maxMs: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * Compute how long to wait before the next attempt, in whole milliseconds: exponential with full jitter (Marc Brooker,
 * "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
 *
 * Uniform between a tenth of `initialMs` and min(maxMs, initialMs x 2^(attempt - 1)), so callers that failed together
 * do not come back together, and never 0, so a retry is never a tight loop.
 */
export function backoffMs({ attempt, initialMs, maxMs, random }: Backoff): number {
  // 2^30 times anything is past every maximum; without the bound 0 x Infinity would be NaN.
  const ceiling = Math.min(maxMs, initialMs * 2 ** Math.min(Math.max(attempt - 1, 0), 30));
  const floor = Math.max(1, Math.min(ceiling, initialMs / 10));
  return Math.ceil(floor + random * Math.max(0, ceiling - floor));
}
