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

/**
 * Look again and again until it holds, and fail with `what` where a look that began later than `withinMs` from now shows that it does not.
 * However long a look takes on a slow machine, it is not what is measured.
 */
export async function heldWithin(
  withinMs: number,
  what: string,
  look: () => Promise<boolean>,
  { everyMs = 20 }: Pick<EventuallyOptions, "everyMs"> = {},
): Promise<void> {
  const lastAt = performance.now() + withinMs;
  for (;;) {
    const beganAt = performance.now();
    if (await look()) return;
    if (beganAt > lastAt) throw new Error(`After ${withinMs} ms it did not hold: ${what}`);
    await sleep(everyMs);
  }
}

/** Wait in real time; only where a real clock has to pass (a rate limit's, an upstream's). */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
