/** How many calls of a batch were under way at once, at most. */
export class Parallelism {
  #active = 0;
  #max = 0;

  get max(): number {
    return this.#max;
  }

  /** Count a call that begins. Background work never leaves: it goes on beside the whole batch. */
  enter(): void {
    this.#active += 1;
    this.#max = Math.max(this.#max, this.#active);
  }

  /** Count it no more, before what waited for it begins. */
  leave(): void {
    this.#active -= 1;
  }
}
