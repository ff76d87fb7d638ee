import type { ListedRun } from "./wire-runs.ts";

/** The runs of an hour, and how many of them failed in part or as a whole. */
export interface HourOfRuns {
  readonly fromMs: number;
  readonly runs: number;
  readonly failed: number;
}

/** The runs of a tool, day by day, the oldest first. */
export interface ToolOfRuns {
  readonly tool: string;
  readonly days: readonly number[];
  readonly total: number;
}

export interface CountedRuns {
  /** The last 24 hours, the oldest first. */
  readonly hours: readonly HourOfRuns[];
  readonly tools: readonly ToolOfRuns[];
}

const HOURS = 24;
export const DAYS = 7;
const HOUR_MS = 3_600_000;
/** A longer table cannot be read at a glance; the list of runs has a filter by tool. */
const MOST_TOOLS = 12;

/**
 * Count runs by hour, and by tool and day.
 *
 * @param dayStarts when each day begins, the oldest first: days are those of the reader's zone, and not all have 24 hours
 */
export function countRuns(
  runs: readonly ListedRun[],
  { nowMs, dayStarts }: { readonly nowMs: number; readonly dayStarts: readonly number[] },
): CountedRuns {
  const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, at) => ({
    fromMs: firstMs + at * HOUR_MS,
    runs: 0,
    failed: 0,
  }));
  const tools = new Map<string, number[]>();
  for (const { started_at: at, status, tools: called } of runs) {
    const startedMs = Date.parse(at);
    const hour = hours[Math.floor((startedMs - firstMs) / HOUR_MS)];
    if (hour !== undefined) {
      hour.runs += 1;
      if (status === "error" || status === "partial" || status === "unknown") hour.failed += 1;
    }
    const day = dayStarts.findLastIndex((startMs) => startMs <= startedMs);
    if (day < 0) continue;
    for (const tool of called) {
      const days = tools.get(tool) ?? dayStarts.map(() => 0);
      days[day]! += 1;
      tools.set(tool, days);
    }
  }
  const counted = [...tools].map(([tool, days]) => ({
    tool,
    days,
    total: days.reduce((sum, size) => sum + size, 0),
  }));
  return { hours, tools: counted.sort((a, b) => b.total - a.total).slice(0, MOST_TOOLS) };
}
