import type { Outcome } from "../contract/outcome.ts";

/** Outcomes that are told once more is known of them. The rest of the batch goes on with them as they were. */
export class LateOutcomes {
  readonly #known = new Map<number, Outcome>();
  readonly #pending: Promise<void>[] = [];

  /** Tell an outcome once all of it is known. @param knowing never rejects */
  tell(index: number, knowing: Promise<Outcome>, told: (outcome: Outcome) => void): void {
    this.#pending.push(
      knowing.then((known) => {
        this.#known.set(index, known);
        told(known);
      }),
    );
  }

  /** Put the outcomes as they were told into those of a batch, once all of them are there. */
  async applyTo(outcomes: readonly Outcome[]): Promise<readonly Outcome[]> {
    await Promise.all(this.#pending);
    return outcomes.map((outcome, index) => this.#known.get(index) ?? outcome);
  }
}
