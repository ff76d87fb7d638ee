/** How long to wait, and how often to look. The wait ends what hangs and is no measure of speed. */
export interface EventuallyOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Wait for what only the real runtime can bring about: look again and again until `look` gives something, and fail with
 * `what` when it does not in time. Waits exactly as long as it takes, which a sleep never does.
 *
 * @param what names the thing in the failure, e.g. "the job to end"
 * @param look gives the value, or undefined for "not yet"
 */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  { withinMs = 50_000, everyMs = 20 }: EventuallyOptions = {},
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() >= giveUpAt) throw new Error(`Waited ${withinMs} ms in vain for ${what}`);
    await sleep(everyMs);
  }
}

/** Wait in real time; only where a real clock has to pass (a rate limit's, an upstream's). */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
