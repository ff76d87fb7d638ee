/** The state of a write of a run that is undone. */
export type WriteState =
  /** Nothing was done about it yet. */
  | "waits"
  /** It is a job that is not over. */
  | "job"
  /** It is being taken back, or looked up. */
  | "sent"
  /** A person is asked whether it is taken back. */
  | "asked"
  /** All is done about it that will be. */
  | "over";

/** A job that goes on ends after all else that is known. */
export const NOT_ENDED = Number.MAX_SAFE_INTEGER;

/** A write, as far as the order goes by it. */
export interface OrderedWrite {
  /** The id of its action. */
  readonly id: string;
  /** The action of the flow that it is of, where its action is one. */
  readonly action?: string | undefined;
  /** Writes of one domain are taken back one after another. */
  readonly domain: string;
  /** When it ended among those of its run: a later one has a larger number. */
  readonly seq: number;
  /** The ids of the actions that it depended on. */
  readonly needs: readonly string[];
  readonly state: WriteState;
}

/**
 * Put the writes of a run in the order in which they are taken back: what depended on another before it, and otherwise the last that
 * ended first.
 */
export function orderWrites<Write extends OrderedWrite>(writes: readonly Write[]): readonly Write[] {
  const lastFirst = [...writes].sort((a, b) => b.seq - a.seq);
  const dependents = dependentsOf(lastFirst);
  const ordered = new Set<Write>();
  const visit = (write: Write): void => {
    if (ordered.has(write) || entered.has(write)) return;
    entered.add(write);
    for (const dependent of ofWrite(dependents, write)) visit(dependent);
    ordered.add(write);
  };
  const entered = new Set<Write>();
  for (const write of lastFirst) visit(write);
  return [...ordered];
}

/** Find the writes about which something is to be done now: none before them in their domain, and none that depended on them, is open. */
export function readyWrites<Write extends OrderedWrite>(writes: readonly Write[]): readonly Write[] {
  const ordered = orderWrites(writes);
  const dependents = dependentsOf(ordered);
  const taken = new Set<string>();
  return ordered.filter((write) => {
    if (write.state === "over") return false;
    const isFirst = !taken.has(write.domain);
    taken.add(write.domain);
    const isFree = ofWrite(dependents, write).every(({ state }) => state === "over");
    return isFirst && isFree && write.state === "waits";
  });
}

/** Name an action of a flow among those of the batch that the flow is an action of. */
export function nameInside(id: string, action: string): string {
  return `${id}/${action}`;
}

function ofWrite<Write extends OrderedWrite>(
  dependents: ReadonlyMap<string, readonly Write[]>,
  { id, action }: Write,
): readonly Write[] {
  // An element of a loop in it has its number behind a dot, and no id has one.
  const [name] = action?.split(".") ?? [];
  const own = name === undefined ? [] : (dependents.get(nameInside(id, name)) ?? []);
  return [...(dependents.get(id) ?? []), ...own];
}

function dependentsOf<Write extends OrderedWrite>(
  writes: readonly Write[],
): ReadonlyMap<string, readonly Write[]> {
  const dependents = new Map<string, Write[]>();
  for (const write of writes)
    for (const id of write.needs) {
      const known = dependents.get(id);
      if (known === undefined) dependents.set(id, [write]);
      else known.push(write);
    }
  return dependents;
}
