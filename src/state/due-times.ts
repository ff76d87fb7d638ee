/** Find when the earliest of these (id → due time) is due, or null when there is none. */
export function nextDue(due: ReadonlyMap<string, number>): number | null {
  let earliest = Number.POSITIVE_INFINITY;
  for (const dueAt of due.values()) if (dueAt < earliest) earliest = dueAt;
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}

/** Find the one that has been due for longest, or null when none is due. */
export function firstDue(due: ReadonlyMap<string, number>, nowMs: number): string | null {
  let first: string | null = null;
  let earliest = nowMs;
  for (const [id, dueAt] of due) {
    if (dueAt > earliest || (dueAt === earliest && first !== null)) continue;
    first = id;
    earliest = dueAt;
  }
  return first;
}
