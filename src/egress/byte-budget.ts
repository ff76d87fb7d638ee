/** The bytes that all upstream responses of one request may take together, so that no mix of them fills an isolate. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /**
   * Take `bytes`, or answer false when they are no longer there. A refusal takes nothing, so one response that is too
   * large does not cost the small ones beside it.
   */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
