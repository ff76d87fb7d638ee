import type { Clock } from "../../kit/clock.ts";

export interface CallBounds {
  readonly clock: Clock;
  /** For one call, its retry included. */
  readonly timeoutMs: number;
}

/**
 * Call a Durable Object, for so long at most. What fails in a way the platform calls retryable is sent once more;
 * `send` must take a fresh stub, because the old one stays broken. A call that times out may still take effect.
 */
export function callBounded<T>(send: () => Promise<T>, { clock, timeoutMs }: CallBounds): Promise<T> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const cancel = clock.after(timeoutMs, () => {
      expired = true;
      reject(new Error(`Cannot reach the gate: no answer within ${timeoutMs} ms`));
    });
    send()
      .catch((error: unknown) => {
        if (expired || !isWorthRetrying(error)) throw error;
        return send();
      })
      .then(resolve, reject)
      .finally(cancel);
  });
}

/** The platform marks its own errors; see "Error handling" in the Durable Objects documentation. */
function isWorthRetrying(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}
