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
  const { attempt, delivery, underWay } = findEarliest(index, nowMs, atOnce);
  const earliest = Math.min(attempt.dueAt, delivery.dueAt, underWay.dueAt);
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}

/**
 * Find the work to begin now, or null when none is due: deliveries first, and of a kind what has been due for longest.
 *
 * Few deliveries are under way at once, so neither they nor attempts wait for ever.
 */
export function firstDue(index: DueIndex, nowMs: number, atOnce: number): string | null {
  const { attempt, delivery } = findEarliest(index, nowMs, atOnce);
  return [delivery, attempt].find(({ dueAt }) => dueAt <= nowMs)?.id ?? null;
}

interface Earliest {
  readonly id: string | null;
  readonly dueAt: number;
}

const NONE: Earliest = { id: null, dueAt: Number.POSITIVE_INFINITY };

/** Find the earliest attempt, delivery under way and, unless there are enough of those, other delivery. */
function findEarliest(
  index: DueIndex,
  nowMs: number,
  atOnce: number,
): { readonly attempt: Earliest; readonly delivery: Earliest; readonly underWay: Earliest } {
  let [attempt, delivery, underWay] = [NONE, NONE, NONE];
  let places = atOnce;
  for (const [id, { kind, dueAt, claimed = false }] of index) {
    if (claimed && dueAt > nowMs) {
      places -= 1;
      if (dueAt < underWay.dueAt) underWay = { id, dueAt };
    } else if (kind === "attempt") {
      if (dueAt < attempt.dueAt) attempt = { id, dueAt };
    } else if (dueAt < delivery.dueAt) delivery = { id, dueAt };
  }
  return { attempt, delivery: places > 0 ? delivery : NONE, underWay };
}
