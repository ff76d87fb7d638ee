import type { WirePlan, WireResult } from "../kit/wire.ts";
import type { NamedAction } from "./name-actions.ts";

/** A result and when it came, in ms from the start as this page measured it. */
export interface Arrival {
  readonly result: WireResult;
  readonly atMs: number;
}

/** One action of a run, as its row shows it. */
export interface TimeRow extends NamedAction {
  readonly index: number;
  /** A status of the API, or what goes on before there is one. */
  readonly state: "waiting" | "queued" | "running" | "lost" | WireResult["status"];
  /** Whose ends it still waits for. */
  readonly waitsFor: readonly string[];
  /** The parts of its bar, in ms from the start; empty where it never ran. */
  readonly queued: Span | null;
  readonly ran: Span | null;
  /** When its outcome came, where no call of it was measured. */
  readonly toldMs: number | null;
  readonly durationMs: number | null;
  /** On the longest chain: without it the batch would have been over earlier. */
  readonly isCritical: boolean;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RunFacts {
  readonly actions: readonly NamedAction[];
  /** Null until the plan is known: until then no action is known to wait. */
  readonly plan: WirePlan | null;
  readonly arrivals: ReadonlyMap<number, Arrival>;
  readonly nowMs: number;
  readonly phase: "running" | "ended" | "stopped";
}

/** A shorter wait is how a runtime takes turns, not a queue. */
const LEAST_QUEUE_MS = 5;

/**
 * Say what every action does at a moment. The stream tells only ends; what goes on follows from the plan: an action whose
 * reasons to wait are over has begun, unless its tool's cap is used up by earlier ones.
 */
export function makeTimeRows(facts: RunFacts): readonly TimeRow[] {
  const { actions, plan, arrivals, nowMs, phase } = facts;
  const indexOf = new Map(actions.map(({ id }, index) => [id, index]));
  const edges = plan?.plan.edges ?? [];
  const before = actions.map(({ id }) =>
    edges.flatMap(({ from, to }) => (to === id ? (indexOf.get(from) ?? []) : [])),
  );
  const critical = phase === "ended" ? findCritical(before, arrivals) : new Set<number>();
  const running = new Map<string, number>();
  return actions.map(({ id, tool }, index): TimeRow => {
    const arrival = arrivals.get(index);
    const base = { id, tool, index, isCritical: critical.has(index), queued: null, ran: null, toldMs: null };
    if (arrival !== undefined) {
      const { result, atMs } = arrival;
      const { duration_ms: durationMs, queued_ms: queuedMs = 0 } = result.meta;
      const done = { ...base, tool: result.tool ?? tool, state: result.status, waitsFor: [] };
      if (durationMs === undefined) return { ...done, toldMs: atMs, durationMs: null };
      const from = Math.max(0, atMs - durationMs);
      const queued = queuedMs < LEAST_QUEUE_MS ? null : { fromMs: Math.max(0, from - queuedMs), toMs: from };
      return { ...done, queued, ran: { fromMs: from, toMs: Math.max(atMs, from) }, durationMs };
    }
    const open = { ...base, durationMs: null };
    if (phase !== "running") return { ...open, state: "lost", waitsFor: [] };
    const waitsFor = before[index]!.filter((other) => !arrivals.has(other)).map(
      (other) => actions[other]!.id,
    );
    if (waitsFor.length > 0) return { ...open, state: "waiting", waitsFor };
    // A question to a person is told after all others have ended.
    if (plan?.plan.confirmations.includes(id) === true) return { ...open, state: "waiting", waitsFor };
    const since = Math.max(0, ...before[index]!.map((other) => arrivals.get(other)!.atMs));
    const cap = tool === null ? undefined : plan?.plan.caps[tool];
    const busy = running.get(tool ?? "") ?? 0;
    const span = { fromMs: Math.min(since, nowMs), toMs: nowMs };
    if (cap !== undefined && busy >= cap) return { ...open, state: "queued", waitsFor: [], queued: span };
    running.set(tool ?? "", busy + 1);
    return { ...open, state: "running", waitsFor: [], ran: span };
  });
}

/** From what ended last back to what it waited for, each time to the one that ended last. */
function findCritical(
  before: readonly (readonly number[])[],
  arrivals: ReadonlyMap<number, Arrival>,
): ReadonlySet<number> {
  const endOf = (index: number): number => {
    const arrival = arrivals.get(index);
    return arrival?.result.meta.duration_ms === undefined ? -1 : arrival.atMs;
  };
  const lastOf = (indexes: readonly number[]): number | undefined =>
    indexes.filter((index) => endOf(index) >= 0).toSorted((a, b) => endOf(b) - endOf(a))[0];
  const path = new Set<number>();
  let at = lastOf([...arrivals.keys()]);
  while (at !== undefined && !path.has(at)) {
    path.add(at);
    at = lastOf(before[at] ?? []);
  }
  return path;
}

/** Round times for the lines of a scale: at most four, in steps that a person reads. */
export function makeTicks(lengthMs: number): readonly number[] {
  const rough = Math.max(1, lengthMs) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  const ticks: number[] = [];
  for (let at = step; at <= lengthMs; at += step) ticks.push(Math.round(at * 1_000) / 1_000);
  return ticks;
}

/** How many actions are in each state, in the order in which one asks. */
export function countStates(rows: readonly TimeRow[]): readonly (readonly [TimeRow["state"], number])[] {
  return STATES.flatMap((state) => {
    const size = rows.filter((row) => row.state === state).length;
    return size === 0 ? [] : [[state, size] as const];
  });
}

const STATES: readonly TimeRow["state"][] = [
  "success",
  "error",
  "unknown",
  "skipped",
  "pending_confirmation",
  "initiated",
  "running",
  "queued",
  "waiting",
  "lost",
];
