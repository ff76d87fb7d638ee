import * as LIMITS from "./limits.ts";
import type { Clock } from "../../core/kit/clock.ts";
import type { Result } from "../../core/kit/result.ts";

interface Reading<T> {
  readonly result: Result<T, string>;
  readonly endsAtMs: number;
}

/**
 * A document of an issuer, read when it is needed and believed for an hour. A reading that failed is remembered too, for a few seconds: else
 * each person would wait for it anew.
 */
export class RememberedDocument<T> {
  readonly #clock: Pick<Clock, "now">;
  #last: Reading<T> | undefined;
  /** When it was last read again before its time. */
  #againAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** The document as it is known, read by `read` where it is not. */
  async read(read: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    return this.#known() ?? this.#keep(await read());
  }

  /** Read it before its time, once a minute at most. One that cannot be read leaves what is known. */
  async readAgain(read: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    const nowMs = this.#clock.now();
    const known = this.#known();
    if (known !== null && nowMs - this.#againAtMs < LIMITS.issuerKeysPauseMs) return known;
    this.#againAtMs = nowMs;
    const result = await read();
    return result.ok ? this.#keep(result) : result;
  }

  #known(): Result<T, string> | null {
    return this.#last !== undefined && this.#clock.now() < this.#last.endsAtMs ? this.#last.result : null;
  }

  #keep(result: Result<T, string>): Result<T, string> {
    // It is believed from when it came, because a failure may have taken as long as it is remembered.
    const endsAtMs = this.#clock.now() + (result.ok ? LIMITS.issuerDocumentMs : LIMITS.issuerFailureMs);
    // A reading that failed beside one that succeeded says nothing about the document.
    if (result.ok || this.#known()?.ok !== true) this.#last = { result, endsAtMs };
    return result;
  }
}
