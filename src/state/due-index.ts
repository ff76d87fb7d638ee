/** The due work of a job: make an attempt, of a run or another, or, once it is over, deliver the event about its end. */
export interface Due {
  readonly kind: "attempt" | "run" | "delivery";
  readonly dueAt: number;
  /** It is under way here; if it does not report before `dueAt`, it is due again then. */
  readonly claimed?: boolean;
  /** For a webhook: it waits to be sent again, or it is being sent again. */
  readonly isWaiting?: boolean;
  readonly isSentAgain?: boolean;
  /** For a run, its flow. */
  readonly flow?: string;
  /** For a run, an attempt is under way until `dueAt`, here or in the request that recorded it. */
  readonly isRunning?: boolean;
}

/** All that is to be done in one object, by its job's id. */
export type DueIndex = ReadonlyMap<string, Due>;

/**
 * How much is under way together at most: runs, and beside them everything else, of which deliveries are a part. A webhook that
 * is sent again counts among those: where endpoints are down there are many, and each hangs for seconds.
 */
export interface AtOnce {
  readonly runs: number;
  readonly others: number;
  readonly deliveries: number;
  /** Before this time no run begins; at any time unless said. */
  readonly runsFromMs?: number;
}

/** Find when the next work can begin, or null when there is none. */
export function nextDue(index: DueIndex, nowMs: number, atOnce: AtOnce): number | null {
  const { attempt, delivery, runs, underWay } = findEarliest(index, nowMs, atOnce);
  const earliest = Math.min(attempt.dueAt, delivery.dueAt, underWay, ...runs.map(({ dueAt }) => dueAt));
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}

/**
 * Find the work to begin now, or null when none is due: deliveries first, then runs, and of a kind what has been due for longest.
 * Among the flows the next one has the fewest runs under way, and among those the one whose turn is longest ago.
 *
 * Runs have places of their own and deliveries few of the others, so none of the three waits for ever, whatever there is of
 * them; nor does a flow for another that has a thousand.
 *
 * @param turns when each flow had its last turn, in any rising numbers
 */
export function firstDue(
  index: DueIndex,
  nowMs: number,
  atOnce: AtOnce,
  turns: ReadonlyMap<string, number> = new Map(),
): string | null {
  const { attempt, delivery, runs } = findEarliest(index, nowMs, atOnce);
  const [run = NO_RUN] = runs
    .filter(({ dueAt }) => dueAt <= nowMs)
    .sort(
      (a, b) =>
        a.underWay - b.underWay || (turns.get(a.flow) ?? 0) - (turns.get(b.flow) ?? 0) || a.dueAt - b.dueAt,
    );
  return [delivery, run, attempt].find(({ dueAt }) => dueAt <= nowMs)?.id ?? null;
}

/** How many runs of a flow have an attempt under way. */
export function countRunning(index: DueIndex, flow: string, nowMs: number): number {
  let count = 0;
  for (const due of index.values())
    if (due.flow === flow && due.isRunning === true && due.dueAt > nowMs) count += 1;
  return count;
}

interface Earliest {
  readonly id: string | null;
  readonly dueAt: number;
}

/** The earliest run of a flow. */
interface EarliestRun extends Earliest {
  readonly flow: string;
  /** Runs of it that are under way here. */
  readonly underWay: number;
}

const NONE: Earliest = { id: null, dueAt: Number.POSITIVE_INFINITY };
const NO_RUN: EarliestRun = { ...NONE, flow: "", underWay: 0 };

interface Found {
  readonly attempt: Earliest;
  readonly delivery: Earliest;
  /** The earliest run of each flow; none where enough are under way. */
  readonly runs: readonly EarliestRun[];
  /** When the first of what is under way is over at the latest. */
  readonly underWay: number;
}

function findEarliest(index: DueIndex, nowMs: number, atOnce: AtOnce): Found {
  let [attempt, delivery] = [NONE, NONE];
  let underWay = Number.POSITIVE_INFINITY;
  let { deliveries, others, runs: places } = atOnce;
  const { runsFromMs = 0 } = atOnce;
  const runs = new Map<string, EarliestRun>();
  for (const [id, { kind, dueAt, claimed = false, flow = "", isWaiting, isSentAgain }] of index) {
    const isDelivery = kind === "delivery" || isWaiting === true || isSentAgain === true;
    if (claimed && dueAt > nowMs) {
      underWay = Math.min(underWay, dueAt);
      if (isDelivery) deliveries -= 1;
      if (kind !== "run") others -= 1;
      else {
        places -= 1;
        const known = runs.get(flow) ?? { ...NO_RUN, flow };
        runs.set(flow, { ...known, underWay: known.underWay + 1 });
      }
    } else if (kind === "run") {
      const known = runs.get(flow) ?? { ...NO_RUN, flow };
      const beginsAt = runsFromMs > nowMs ? Math.max(dueAt, runsFromMs) : dueAt;
      if (beginsAt < known.dueAt || known.id === null) runs.set(flow, { ...known, id, dueAt: beginsAt });
    } else if (!isDelivery) {
      if (dueAt < attempt.dueAt) attempt = { id, dueAt };
    } else if (dueAt < delivery.dueAt) delivery = { id, dueAt };
  }
  return {
    attempt: others > 0 ? attempt : NONE,
    delivery: others > 0 && deliveries > 0 ? delivery : NONE,
    runs: places > 0 ? [...runs.values()] : [],
    underWay,
  };
}
