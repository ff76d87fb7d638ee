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
  /** It has begun and is to go on: what has not begun goes before it. */
  readonly isLater?: boolean;
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
  for (const { groups } of free) for (const { dueAt } of groups) earliest = Math.min(earliest, dueAt);
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
 * longest, of all that has begun only when nothing else is due. Where there are several groups the next one has the fewest under way, and among those the one whose turn is longest ago.
 *
 * Each lane has places, so none waits for ever for another, whatever there is of that; nor does a group for one that has a
 * thousand.
 */
export function firstDue(index: DueIndex, nowMs: number, { lanes, turns = NO_TURNS }: Shared): string | null {
  for (const { groups, underWayOf } of findEarliest(index, nowMs, lanes).free) {
    const [next] = groups
      .filter(({ dueAt }) => dueAt <= nowMs)
      .sort(
        (a, b) =>
          Number(a.isLater) - Number(b.isLater) ||
          underWayOf(a) - underWayOf(b) ||
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

/** The earliest work of a group, begun or not. */
interface Earliest {
  readonly group: string;
  readonly isLater: boolean;
  id: string;
  dueAt: number;
}

/** The work of a lane that has a place left. */
interface FreeLane {
  readonly groups: readonly Earliest[];
  /** How much of the same group is under way here. */
  readonly underWayOf: (one: Pick<Earliest, "group">) => number;
}

interface Found {
  /** The groups of each lane that has a place left, in the lanes' order. */
  readonly free: readonly FreeLane[];
  /** When the first of what is under way is over at the latest. */
  readonly underWay: number;
}

function findEarliest(index: DueIndex, nowMs: number, lanes: readonly Lane[]): Found {
  const beginLane = (lane: Lane) => {
    const [groups, later] = [new Map<string, Earliest>(), new Map<string, Earliest>()];
    return { ...lane, left: lane.places, groups, later, underWay: new Map<string, number>() };
  };
  const open = new Map(lanes.map((lane) => [lane.name, beginLane(lane)]));
  let underWay = Number.POSITIVE_INFINITY;
  for (const [id, { lane, dueAt, claimed = false, group = "", isLater = false }] of index) {
    const own = open.get(lane)!;
    const { fromMs = 0, within } = own;
    if (claimed && dueAt > nowMs) {
      underWay = Math.min(underWay, dueAt);
      own.left -= 1;
      if (within !== undefined) open.get(within)!.left -= 1;
      own.underWay.set(group, (own.underWay.get(group) ?? 0) + 1);
      continue;
    }
    const beginsAt = fromMs > nowMs ? Math.max(dueAt, fromMs) : dueAt;
    const groups = isLater ? own.later : own.groups;
    const known = groups.get(group);
    if (known === undefined) groups.set(group, { group, isLater, id, dueAt: beginsAt });
    else if (beginsAt < known.dueAt) [known.id, known.dueAt] = [id, beginsAt];
  }
  const free = [...open.values()]
    .filter(({ left, within }) => left > 0 && (within === undefined || open.get(within)!.left > 0))
    .map(({ groups, later, underWay: ofGroup }) => ({
      groups: [...groups.values(), ...later.values()],
      underWayOf: ({ group }: Pick<Earliest, "group">) => ofGroup.get(group) ?? 0,
    }));
  return { free, underWay };
}
