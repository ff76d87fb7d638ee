/** The bytes that all upstream responses of one request may take together, so that no mix of them fills an isolate. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Take `bytes`, or answer false when they are no longer there. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }
}
