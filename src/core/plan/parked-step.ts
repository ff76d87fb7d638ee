import type { Outcome } from "../contract/outcome.ts";
import type { Needs } from "../kit/layers.ts";
import type { Prepared } from "./prepare-task.ts";
import type { DataOf } from "./references.ts";
import type { Begun, Parking, Step, Task } from "./step.ts";

/**
 * Find the steps that are parked: those that are gated, and everything that needs one of them, however far away.
 *
 * @param needs an acyclic graph
 */
export function findParking(gated: readonly boolean[], needs: Needs): (Parking | null)[] {
  if (!gated.includes(true)) return gated.map(() => null);
  const parking: (Parking | null | undefined)[] = gated.map((own) => (own ? "gated" : undefined));
  const visit = (index: number): Parking | null => {
    const known = parking[index];
    if (known !== undefined) return known;
    const found = needs[index]!.some((needed) => visit(needed) !== null) ? "waits" : null;
    parking[index] = found;
    return found;
  };
  return gated.map((_, index) => visit(index));
}

/** A step that waits for something outside of the batch. */
export interface ParkedStep {
  readonly step: Step;
  readonly task: Task;
  /** The prepared call, where all its references are known; null while it waits for another parked step. */
  readonly prepared: Prepared | null;
  /** The work that it had begun when it was held; absent where nothing of it has run. */
  readonly begun?: Begun;
}

/** Record parked steps, when everything else of the batch is over; an outcome for each of them, by index. Never rejects. */
export type Park = (parked: readonly ParkedStep[], dataOf: DataOf) => Promise<ReadonlyMap<number, Outcome>>;
