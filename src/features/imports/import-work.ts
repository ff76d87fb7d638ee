import * as LIMITS from "./limits.ts";
import type { Clock } from "../../feature/kit.ts";
import { err, ok, type Result } from "../../feature/refuse.ts";

const MINUTE_MS = 60_000;

/** Gives back what an import did not use. */
type GiveBack = (unused: number) => void;

/** The work of a minute that the imports of one tenant have left, in one isolate. */
export class ImportWork {
  #left = 0;
  #endsAt = Number.NEGATIVE_INFINITY;
  /** Imports of this minute that have not given back. */
  #running = 0;
  /** Imports that wait for their share, told whether it has come. */
  readonly #waiting = new Set<(comes: boolean) => void>();

  /**
   * Take the work of one import, and be told how to give back what it did not use; or how long to wait.
   *
   * Most imports use little of their share, so one that finds too little waits for those before it, in the order in which they came,
   * however long they take: one that was cut off gives nothing back, and then the next minute brings a share.
   * It is refused when all of them have given back and too little is left, or its client leaves.
   */
  async take(
    clock: Clock,
    signal: AbortSignal,
  ): Promise<Result<GiveBack, { readonly retryAfterMs: number }>> {
    this.#serve(clock.now());
    const isMine = (this.#waiting.size === 0 && this.#reserve()) || (await this.#wait(clock, signal));
    const minute = this.#endsAt;
    if (!isMine) return err({ retryAfterMs: minute - clock.now() });
    return ok((unused) => {
      if (this.#endsAt !== minute) return;
      this.#running -= 1;
      this.#left += unused;
      this.#serve(clock.now());
    });
  }

  #reserve(): boolean {
    if (this.#left < LIMITS.importPatternUnits) return false;
    this.#left -= LIMITS.importPatternUnits;
    this.#running += 1;
    return true;
  }

  #wait(clock: Clock, signal: AbortSignal): Promise<boolean> {
    if (this.#running === 0 || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (comes: boolean): void => {
        this.#waiting.delete(end);
        stop();
        signal.removeEventListener("abort", leave);
        resolve(comes);
      };
      const leave = (): void => end(false);
      let stop: () => void;
      const awaitMinute = (): void => {
        stop = clock.after(this.#endsAt - clock.now(), () => {
          this.#serve(clock.now());
          if (this.#waiting.has(end)) awaitMinute();
        });
      };
      awaitMinute();
      signal.addEventListener("abort", leave);
      this.#waiting.add(end);
    });
  }

  /** Begin a minute when it is time, and give those that wait their share. None of them waits for a share that never comes. */
  #serve(nowMs: number): void {
    if (nowMs >= this.#endsAt || nowMs < this.#endsAt - MINUTE_MS) {
      this.#left = LIMITS.tenantPatternUnits;
      this.#running = 0;
      this.#endsAt = nowMs + MINUTE_MS;
    }
    for (const end of this.#waiting)
      if (this.#reserve()) end(true);
      else if (this.#running === 0) end(false);
  }
}
