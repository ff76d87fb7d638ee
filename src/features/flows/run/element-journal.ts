import type { Outcome } from "../../../core/contract/outcome.ts";
import type { Journal } from "../../../core/gate/execution.ts";
import { attempt } from "../../../core/kit/result.ts";
import type { Step } from "../../../core/plan/step.ts";
import type { KeptStep } from "../flow-run.ts";
import { isUnfinished, keepStep, type Ledger } from "./run-journal.ts";

export interface ElementJournalOptions {
  readonly ledger: Ledger;
  /** Bytes that the kept result of one element may take. */
  readonly elementBytes: number;
  /** Somebody reads the entries, so failures are kept too. */
  readonly isShown: boolean;
}

/**
 * The journal of one slice of a loop. How an element ended is written down with the beginning of the next write, so a write costs
 * one call of the object, and the reads of a slice cost one together.
 */
export class ElementJournal implements Journal {
  readonly #options: ElementJournalOptions;
  #ended: KeptStep[] = [];
  readonly #begun = new Set<string>();
  /** Whether the attempt may send nothing any more. */
  #isLost = false;

  constructor(options: ElementJournalOptions) {
    this.#options = options;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async begin({ id }: Step): Promise<boolean> {
    this.#begun.add(id);
    const isIts = await this.#options.ledger.begin(id, this.#take());
    this.#isLost ||= !isIts;
    return isIts;
  }

  end({ id }: Step, outcome: Outcome): void {
    if (outcome.meta.replayed === true) return;
    const { elementBytes, isShown } = this.#options;
    // One that had begun and sent nothing says so: else it would be in doubt.
    const isWorth = outcome.status !== "error" || (isShown && !isUnfinished(outcome)) || this.#begun.has(id);
    const kept = isWorth ? keepStep(id, outcome, { mostBytes: elementBytes, isShown }) : null;
    if (kept !== null) this.#ended.push(kept);
  }

  /** Write down what has ended. An entry that is lost leaves a read to be made again, and a write in doubt. */
  async flush(): Promise<void> {
    const ended = this.#take();
    if (ended.length === 0) return;
    const written = await attempt(() => this.#options.ledger.end(ended));
    this.#isLost ||= written.ok && !written.value;
  }

  #take(): readonly KeptStep[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}
