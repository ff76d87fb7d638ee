/** The due work of a job: make an attempt or, once it is over, deliver the event about its end. */
export interface Due {
  /** The name of the lane whose places it takes. */
  readonly lane: string;
  readonly dueAt: number;
  /** It is under way here; if it does not report before `dueAt`, it is due again then. */
  readonly claimed?: boolean;
  /** The backlog that counts its job, as long as that is alive. */
  readonly backlog?: string;
  /** The jobs that it takes turns with others for. */
  readonly group?: string | undefined;
  /** An attempt is under way until `dueAt`, here or in the request that recorded the job. */
  readonly isRunning?: boolean;
}

/** All that is to be done in one object, by its job's id. */
export type DueIndex = ReadonlyMap<string, Due>;

/** Work of one sort, and how much of it is under way together at most. */
export interface Lane {
  readonly name: string;
  readonly places: number;
  /** The lane whose places it takes besides its own. */
  readonly within?: string;
  /** Whether work that has to wait makes all of the lane wait, because all wait for the same. */
  readonly waitsTogether?: boolean;
  /** Before this time nothing of it begins; at any time unless said. */
  readonly fromMs?: number | undefined;
}

/** Find when the next work can begin, or null when there is none. */
export function nextDue(index: DueIndex, nowMs: number, lanes: readonly Lane[]): number | null {
  const { free, underWay } = findEarliest(index, nowMs, lanes);
  let earliest = underWay;
  for (const groups of free) for (const { dueAt } of groups) earliest = Math.min(earliest, dueAt);
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}

/** The places that due work shares. */
interface Shared {
  readonly lanes: readonly Lane[];
  /** When each group had its last turn, in any rising numbers. */
  readonly turns?: ReadonlyMap<string, number>;
}

const NO_TURNS: ReadonlyMap<string, number> = new Map();

/**
 * Find the work to begin now, or null when none is due: that of the first lane that has some, and there what has been due for
 * longest. Where there are several groups the next one has the fewest under way, and among those the one whose turn is longest ago.
 *
 * Each lane has places, so none waits for ever for another, whatever there is of that; nor does a group for one that has a
 * thousand.
 */
export function firstDue(index: DueIndex, nowMs: number, { lanes, turns = NO_TURNS }: Shared): string | null {
  for (const groups of findEarliest(index, nowMs, lanes).free) {
    const [next] = groups
      .filter(({ dueAt }) => dueAt <= nowMs)
      .sort(
        (a, b) =>
          a.underWay - b.underWay ||
          (turns.get(a.group) ?? 0) - (turns.get(b.group) ?? 0) ||
          a.dueAt - b.dueAt,
      );
    if (next !== undefined) return next.id;
  }
  return null;
}

/** How many jobs of a group have an attempt under way. */
export function countRunning(index: DueIndex, group: string, nowMs: number): number {
  let count = 0;
  for (const due of index.values())
    if (due.group === group && due.isRunning === true && due.dueAt > nowMs) count += 1;
  return count;
}

/** The earliest work of a group. */
interface Earliest {
  readonly group: string;
  id: string | null;
  dueAt: number;
  /** The work of the group that is under way here. */
  underWay: number;
}

interface Found {
  /** The groups of each lane that has a place left, in the lanes' order. */
  readonly free: readonly (readonly Earliest[])[];
  /** When the first of what is under way is over at the latest. */
  readonly underWay: number;
}

function findEarliest(index: DueIndex, nowMs: number, lanes: readonly Lane[]): Found {
  const open = new Map(
    lanes.map((lane) => [lane.name, { ...lane, left: lane.places, groups: new Map<string, Earliest>() }]),
  );
  let underWay = Number.POSITIVE_INFINITY;
  for (const [id, { lane, dueAt, claimed = false, group = "" }] of index) {
    const { groups, fromMs = 0, within } = open.get(lane)!;
    let known = groups.get(group);
    if (known === undefined)
      groups.set(group, (known = { group, id: null, dueAt: Number.POSITIVE_INFINITY, underWay: 0 }));
    if (claimed && dueAt > nowMs) {
      underWay = Math.min(underWay, dueAt);
      open.get(lane)!.left -= 1;
      if (within !== undefined) open.get(within)!.left -= 1;
      known.underWay += 1;
      continue;
    }
    const beginsAt = fromMs > nowMs ? Math.max(dueAt, fromMs) : dueAt;
    if (beginsAt < known.dueAt) [known.id, known.dueAt] = [id, beginsAt];
  }
  const free = [...open.values()]
    .filter(({ left, within }) => left > 0 && (within === undefined || open.get(within)!.left > 0))
    .map(({ groups }) => [...groups.values()]);
  return { free, underWay };
}
