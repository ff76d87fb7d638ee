import * as LIMITS from "../../core/contract/limits.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";

const MINUTE_MS = 60_000;

/** The work of a minute that the imports of one tenant have left, in one isolate. */
export class ImportWork {
  #left = 0;
  #endsAt = Number.NEGATIVE_INFINITY;

  /**
   * Take the work of one import, and be told how to give back what it did not use; or how long to wait. An import that is cut off
   * gives nothing back, and the next minute begins anew.
   */
  take(nowMs: number): Result<(unused: number) => void, { readonly retryAfterMs: number }> {
    if (nowMs >= this.#endsAt || nowMs < this.#endsAt - MINUTE_MS) {
      this.#left = LIMITS.tenantPatternUnits;
      this.#endsAt = nowMs + MINUTE_MS;
    }
    const minute = this.#endsAt;
    if (this.#left < LIMITS.importPatternUnits) return err({ retryAfterMs: minute - nowMs });
    this.#left -= LIMITS.importPatternUnits;
    return ok((unused) => {
      if (this.#endsAt === minute) this.#left += unused;
    });
  }
}
