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
  return arrange(writes).ordered;
}

/** Find the writes about which something is to be done now: none before them in their domain, and none that depended on them, is open. */
export function readyWrites<Write extends OrderedWrite>(writes: readonly Write[]): readonly Write[] {
  const { ordered, dependentsOf } = arrange(writes);
  const taken = new Set<string>();
  return ordered.filter((write) => {
    const { state, domain } = write;
    if (state === "over") return false;
    const isFirst = !taken.has(domain);
    taken.add(domain);
    return isFirst && state === "waits" && dependentsOf(write).every((one) => one.state === "over");
  });
}

/** Name the action of a write among those of its run: that of a flow within the action that the flow is. */
export function nameOf({ id, action }: Pick<OrderedWrite, "id" | "action">): string {
  return action === undefined ? id : `${id}/${action}`;
}

function arrange<Write extends OrderedWrite>(writes: readonly Write[]) {
  const lastFirst = [...writes].sort((a, b) => b.seq - a.seq);
  const edges = lastFirst.flatMap((write) => write.needs.map((need) => ({ need, write })));
  const byNeed = Map.groupBy(edges, ({ need }) => need);
  const dependentsOf = ({ id, action }: Write): readonly Write[] => {
    // An element of a loop in it has its number behind a dot, and no id has one.
    const names = new Set([id, nameOf({ id, action: action?.split(".")[0] })]);
    return [...names].flatMap((name) => byNeed.get(name) ?? []).map(({ write }) => write);
  };
  const entered = new Set<Write>();
  const ordered: Write[] = [];
  const visit = (write: Write): void => {
    if (entered.has(write)) return;
    entered.add(write);
    dependentsOf(write).forEach(visit);
    ordered.push(write);
  };
  lastFirst.forEach(visit);
  return { ordered, dependentsOf };
}
