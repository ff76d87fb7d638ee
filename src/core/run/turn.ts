/**
 * The work for the end of a turn: when everything that became ready in this moment is there to be chosen from.
 *
 * Outcomes are told synchronously, so one microtask after the first of them all of their consequences are known. Functions of
 * `afterEnd` come after those of `atEnd`, whichever was given first.
 */
export class Turn {
  #ending: (() => void)[] = [];
  #then: (() => void)[] = [];
  #isDue = false;

  /** Do `work` at the end of this turn. */
  atEnd(work: () => void): void {
    this.#ending.push(work);
    this.#come();
  }

  /** Do `work` when this turn has ended. */
  afterEnd(work: () => void): void {
    this.#then.push(work);
    this.#come();
  }

  #come(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#end());
  }

  #end(): void {
    this.#isDue = false;
    const ending = this.#ending;
    const after = this.#then;
    this.#ending = [];
    this.#then = [];
    for (const work of ending) work();
    for (const work of after) work();
  }
}
