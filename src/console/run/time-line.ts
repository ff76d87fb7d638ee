import type { WireResult } from "../kit/wire.ts";
import type { NamedAction } from "./name-actions.ts";

/** A result and when it came, in ms from the start as this page measured it. */
export interface Arrival {
  readonly result: WireResult;
  readonly atMs: number;
}

/** A call that has left its queues, as the stream tells it. */
export interface Start {
  /** In ms from the batch's start. */
  readonly startedMs: number;
  readonly attempt: number;
}

/** One action of a run, as its row shows it. */
export interface TimeRow extends NamedAction {
  readonly index: number;
  /** A status of the API, or what goes on before there is one. */
  readonly state: "waiting" | "running" | "lost" | WireResult["status"];
  /** Which attempt runs; null where none does, or the first. */
  readonly attempt: number | null;
  /** The parts of its bar, in ms from the start; empty where it never ran. */
  readonly queued: Span | null;
  readonly ran: readonly Span[];
  /** When its outcome came, where no call of it was measured. */
  readonly toldMs: number | null;
  readonly durationMs: number | null;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RunFacts {
  readonly actions: readonly NamedAction[];
  /** The calls that have begun, by the index of their actions. */
  readonly starts: ReadonlyMap<number, readonly Start[]>;
  readonly arrivals: ReadonlyMap<number, Arrival>;
  readonly phase: "running" | "ended" | "stopped" | "cancelled";
}

/** A shorter wait is how a runtime takes turns, not a queue. */
const LEAST_QUEUE_MS = 5;

/** Say what every action does at a moment, by what the stream has told: which calls have begun, and which actions are over. */
export function makeTimeRows(
  { actions, starts, arrivals, phase }: RunFacts,
  nowMs: number,
): readonly TimeRow[] {
  return actions.map(({ id, tool }, index): TimeRow => {
    const base = { id, tool, index, attempt: null, queued: null, ran: [], toldMs: null, durationMs: null };
    const arrival = arrivals.get(index);
    if (arrival !== undefined) return toEnded(base, arrival);
    if (phase !== "running") return { ...base, state: "lost" };
    const begun = starts.get(index) ?? [];
    const last = begun.at(-1);
    if (last === undefined) return { ...base, state: "waiting" };
    const ran = { fromMs: Math.min(begun[0]!.startedMs, nowMs), toMs: nowMs };
    return { ...base, state: "running", ran: [ran], attempt: last.attempt > 1 ? last.attempt : null };
  });
}

/** The row of an action that is over, by the measures in its result. */
function toEnded(base: Omit<TimeRow, "state">, { result, atMs }: Arrival): TimeRow {
  const { duration_ms: durationMs, queued_ms: queuedMs = 0, started_ms: startedMs, tries } = result.meta;
  const done = { ...base, tool: result.tool ?? base.tool, state: result.status };
  if (durationMs === undefined) return { ...done, toldMs: atMs };
  const fromMs = startedMs ?? Math.max(0, atMs - durationMs);
  const attempts = tries ?? [{ started_ms: fromMs, duration_ms: durationMs }];
  return {
    ...done,
    durationMs,
    queued: queuedMs < LEAST_QUEUE_MS ? null : { fromMs: Math.max(0, fromMs - queuedMs), toMs: fromMs },
    ran: attempts.map(({ started_ms: from, duration_ms: took }) => ({ fromMs: from, toMs: from + took })),
  };
}

/** From here on a scale is in whole minutes. */
const MINUTES_MS = 180_000;

/** Round times for the lines of a scale: at most four, in steps that a person reads, each of which has words of its own. */
export function makeTicks(lengthMs: number): readonly number[] {
  const unit = lengthMs < MINUTES_MS ? 1 : 60_000;
  const rough = Math.max(1, lengthMs / unit / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  return Array.from({ length: Math.floor(lengthMs / step) }, (_, at) => step * (at + 1));
}

/** Ticks of one scale have one unit. */
export function sayTick(ms: number, lengthMs: number): string {
  if (lengthMs < 2_000) return `${Math.round(ms)} ms`;
  return lengthMs < MINUTES_MS ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 60_000)} min`;
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
  "waiting",
  "lost",
];
