/** How many calls of a batch were under way at once, at most. */
export class Parallelism {
  #active = 0;
  #max = 0;

  get max(): number {
    return this.#max;
  }

  /** Count a call until it has ended; null for background work, which goes on beside the whole batch. */
  track(finished: Promise<void> | null): void {
    this.#active += 1;
    this.#max = Math.max(this.#max, this.#active);
    void finished?.then(() => (this.#active -= 1));
  }
}
