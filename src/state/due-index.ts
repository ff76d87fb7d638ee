/** What is to be done about a job: make an attempt or, once it is over, deliver the event about its end. */
export interface Due {
  readonly kind: "attempt" | "delivery";
  readonly dueAt: number;
  /** A delivery is under way; if it does not report before `dueAt`, it is due again then. */
  readonly claimed?: boolean;
}

/** All that is to be done in one object, by its job's id. */
export type DueIndex = ReadonlyMap<string, Due>;

/** Find when the next work can begin, or null when there is none; at most `atOnce` deliveries are under way together. */
export function nextDue(index: DueIndex, nowMs: number, atOnce: number): number | null {
  const isFull = countClaimed(index, nowMs) >= atOnce;
  let earliest = Number.POSITIVE_INFINITY;
  for (const due of index.values())
    if (due.dueAt < earliest && !(isFull && waits(due, nowMs))) earliest = due.dueAt;
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}

/**
 * Find the work to begin now, or null when none is due: deliveries first, and of a kind what has been due for longest.
 *
 * Few deliveries are under way at once, so neither they nor attempts wait for ever.
 */
export function firstDue(index: DueIndex, nowMs: number, atOnce: number): string | null {
  const isFull = countClaimed(index, nowMs) >= atOnce;
  let first: readonly [id: string, due: Due] | null = null;
  for (const [id, due] of index) {
    if (due.dueAt > nowMs || (isFull && waits(due, nowMs))) continue;
    if (first === null || isBefore(due, first[1])) first = [id, due];
  }
  return first && first[0];
}

function isBefore(one: Due, other: Due): boolean {
  return one.kind === other.kind ? one.dueAt < other.dueAt : one.kind === "delivery";
}

/** A delivery that cannot begin before another one ends. */
function waits({ kind, dueAt, claimed }: Due, nowMs: number): boolean {
  return kind === "delivery" && !(claimed === true && dueAt > nowMs);
}

function countClaimed(index: DueIndex, nowMs: number): number {
  let count = 0;
  for (const { claimed, dueAt } of index.values()) if (claimed === true && dueAt > nowMs) count += 1;
  return count;
}
