import type { Trace, TraceRow } from "./make-trace.ts";

/** One link of the chain that decided how long a run took. */
export interface Holdup {
  readonly key: string;
  readonly name: string;
  /** The work of a row, or a time in which nothing that is known of worked: a rate limit, or a pause between two links. */
  readonly kind: "work" | "queue" | "gap";
  readonly fromMs: number;
  readonly toMs: number;
}

/** Two times that are no further apart are one: an answer and what it lets begin are told by different readings of the clock. */
const NEAR_MS = 3;
/** A shorter gap is no link: it is the plan, the admission and the answer. */
const LEAST_GAP_MS = 10;

/**
 * Find what held a run up, from its start to its end: from the row that ended last back to what it waited for. An action that stood in
 * its queue longer than it waited for results was held up by the call whose place it took, and not by the actions that it depends on.
 */
export function findHoldup({ rows, runMs }: Trace): readonly Holdup[] {
  const done = rows.filter(
    (row): row is Done => row.kind !== "later" && row.fromMs !== null && row.toMs !== null,
  );
  const byKey = new Map(done.map((row) => [row.key, row]));
  const chain: Holdup[] = [];
  const seen = new Set<string>();
  let row = lastOf(done);
  let next = runMs;
  while (row !== undefined && !seen.has(row.key)) {
    seen.add(row.key);
    const { key, name, fromMs, toMs } = row;
    if (next - toMs >= LEAST_GAP_MS) chain.push({ key, name, kind: "gap", fromMs: toMs, toMs: next });
    chain.push({ key, name, kind: "work", fromMs, toMs: Math.min(toMs, next) });
    const needed = lastOf(row.waitsFor.flatMap(({ key: one }) => byKey.get(one) ?? []));
    const queue = row.spans.find(({ kind }) => kind === "queue");
    const blocker = queue && blockerOf(row, queue.fromMs, done);
    next = fromMs;
    if (queue !== undefined && blocker === undefined) {
      chain.push({ key, name, kind: "queue", fromMs: queue.fromMs, toMs: queue.toMs });
      next = queue.fromMs;
    }
    row = blocker ?? needed ?? askedBy(row, done);
  }
  return chain.reverse();
}

type Done = TraceRow & { readonly fromMs: number; readonly toMs: number };

function lastOf(rows: readonly Done[]): Done | undefined {
  return rows.toSorted((a, b) => b.toMs - a.toMs)[0];
}

/** The call that ended when this one left its queue, and went on while this one stood in it; one of the same tool first. */
function blockerOf(row: Done, queuedFrom: number, rows: readonly Done[]): Done | undefined {
  const needed = new Set(row.waitsFor.map(({ key }) => key));
  const others = rows.filter(
    ({ key, kind, fromMs, toMs }) =>
      key !== row.key &&
      kind === "action" &&
      !needed.has(key) &&
      fromMs < row.fromMs &&
      toMs > queuedFrom &&
      Math.abs(toMs - row.fromMs) <= NEAR_MS,
  );
  return lastOf(others.filter(({ tool }) => tool === row.tool)) ?? lastOf(others);
}

/** The answer of the model that asked for an action, or the last call before an answer of the model. */
function askedBy(row: Done, rows: readonly Done[]): Done | undefined {
  if (row.round === null) return undefined;
  if (row.kind === "action") return rows.find(({ kind, round }) => kind === "model" && round === row.round);
  return lastOf(rows.filter(({ key, toMs }) => key !== row.key && toMs <= row.fromMs + NEAR_MS));
}
