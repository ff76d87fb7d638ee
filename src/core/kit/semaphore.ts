/** A granted permit. Calling it gives the permit back; calling it again does nothing. */
export type Release = () => void;

interface Waiter {
  grant(): void;
}

const NOTHING: Release = () => {};

/**
 * A counting semaphore: at most `permits` holders at once, waiters served first come, first served.
 *
 * FIFO holds because a released permit is handed to the oldest waiter directly and is never seen as free by a
 * newcomer. An aborted waiter leaves the queue at once and takes no permit.
 */
export class Semaphore {
  #free: number;
  readonly #waiters = new Set<Waiter>();

  /** @param permits a positive integer, or Infinity for no limit at all */
  constructor(permits: number) {
    if (!(permits === Number.POSITIVE_INFINITY || (Number.isInteger(permits) && permits > 0))) {
      throw new RangeError(
        `Cannot create semaphore: 'permits' must be a positive integer or Infinity, received ${permits}`,
      );
    }
    this.#free = permits;
  }

  /** Take a permit without waiting, or null when none is free. */
  tryAcquire(): Release | null {
    if (this.#free === Number.POSITIVE_INFINITY) return NOTHING;
    if (this.#free === 0) return null;
    this.#free -= 1;
    return this.#createRelease();
  }

  /** Whether somebody waits for a permit. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /** Wait for a permit. Rejects with the signal's reason when it aborts first. */
  acquire(signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return this.acquireUntil((leave) => {
      const onAbort = (): void => leave(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      return () => signal.removeEventListener("abort", onAbort);
    });
  }

  /**
   * Wait for a permit until an end that is not a signal: to make one and to listen to it costs the runtime more than the wait.
   *
   * @param onEnd tells of the end, with the reason that the wait rejects with; what it returns stops it
   * @param waited called when a wait is over, either way
   */
  acquireUntil(
    onEnd: (leave: (reason: unknown) => void) => () => void,
    waited: () => void = () => {},
  ): Promise<Release> {
    const immediate = this.tryAcquire();
    if (immediate) return Promise.resolve(immediate);

    return new Promise((resolve, reject) => {
      let stopListening = (): void => {};
      const waiter: Waiter = {
        grant: () => {
          stopListening();
          waited();
          resolve(this.#createRelease());
        },
      };
      this.#waiters.add(waiter);
      stopListening = onEnd((reason) => {
        this.#waiters.delete(waiter);
        waited();
        reject(reason);
      });
    });
  }

  #createRelease(): Release {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = this.#waiters;
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      this.#waiters.delete(next);
      next.grant();
    };
  }
}
