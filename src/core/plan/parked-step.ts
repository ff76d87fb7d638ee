import type { Outcome } from "../contract/outcome.ts";
import type { Prepared } from "./prepare-task.ts";
import type { DataOf } from "./references.ts";
import type { Begun, Step, Task } from "./step.ts";

/** A step that waits for a person. */
export interface ParkedStep {
  readonly step: Step;
  readonly task: Task;
  /** The prepared call, where all its references are known; null while it waits for another parked step. */
  readonly prepared: Prepared | null;
  /** The work that it had begun when it asked; absent where nothing of it has run. */
  readonly begun?: Begun;
}

/** Record parked steps, when everything else of the batch is over; an outcome for each of them, by index. Never rejects. */
export type Park = (parked: readonly ParkedStep[], dataOf: DataOf) => Promise<ReadonlyMap<number, Outcome>>;
