import type { Clock } from "../../core/kit/clock.ts";
import { attempt } from "../../core/kit/result.ts";

export interface CallBounds {
  readonly clock: Clock;
  /** For one call, its retry included. */
  readonly timeoutMs: number;
}

/**
 * Call a Durable Object, for so long at most. A failure that the platform calls retryable is sent once more; `send` must take a
 * fresh stub, because the old one stays broken. A call that times out may still take effect.
 */
export function callBounded<T>(send: () => Promise<T>, { clock, timeoutMs }: CallBounds): Promise<T> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const cancel = clock.after(timeoutMs, () => {
      expired = true;
      reject(new Error(`Cannot reach the gate: no answer within ${timeoutMs} ms`));
    });
    const call = async (): Promise<void> => {
      const first = await attempt(send);
      const sendsAgain = !first.ok && !expired && isWorthRetrying(first.error);
      const asked = sendsAgain ? await attempt(send) : first;
      cancel();
      if (asked.ok) resolve(asked.value);
      else reject(asked.error);
    };
    void call();
  });
}

/** The platform marks its own errors; see "Error handling" in the Durable Objects documentation. */
function isWorthRetrying(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}
