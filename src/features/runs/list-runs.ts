import * as LIMITS from "./limits.ts";
import type { RunHead } from "./run.ts";
import type { RunPlace } from "./run-log-methods.ts";

/** The heads of one report, and when it arrived. */
export interface ReportRow {
  readonly at: number;
  readonly heads: readonly RunHead[];
}

/** A run with its place in the list. */
export interface PlacedRun<T> extends RunPlace {
  readonly run: T;
}

export interface ListOptions<T> {
  readonly limit: number;
  readonly after: RunPlace | null;
  /** List none that stands before this time. */
  readonly since: number;
  /** Reports that are looked through. */
  readonly reports?: number;
  /** Makes an entry of a run; null where the run does not fit what is asked for. */
  readonly pick: (head: RunHead, reportedAt: number) => T | null;
}

/** One page, and where the next one begins; null where there is none. */
export interface Listed<T> {
  readonly runs: readonly PlacedRun<T>[];
  readonly next: RunPlace | null;
}

/**
 * Find the place of a run: when it started, as far as that is within two minutes of its report. So a page needs no look at more than
 * the reports of two minutes to know that nothing belongs before what it lists.
 */
export function placeOf({ id, startedAt }: Pick<RunHead, "id" | "startedAt">, reportedAt: number): RunPlace {
  return { at: Math.min(Math.max(startedAt, reportedAt - LIMITS.runListedMs), reportedAt), id };
}

/**
 * List runs, the newest first, from reports that come the latest first.
 *
 * Every run stands at its start, and its report came later. So whatever was found and stands behind the next report's arrival has
 * nothing left before it and is listed; the rest waits. A place stays where it is while new runs come. A page that has looked
 * through as many reports as it may ends there, however few it found, and the next one goes on behind them.
 */
export function listRuns<T>(
  rows: Iterable<ReportRow>,
  { limit, after, since, reports = LIMITS.runReportsListed, pick }: ListOptions<T>,
): Listed<T> {
  const runs: PlacedRun<T>[] = [];
  let waiting: PlacedRun<T>[] = [];
  let looked = 0;
  const next = (): RunPlace => ({ at: runs.at(-1)!.at, id: runs.at(-1)!.id });
  /** List what stands behind a time; true when the page is full, and there is more. */
  const settle = (behind: number): boolean => {
    const settled = waiting.filter(({ at }) => at > behind).sort(compare);
    waiting = waiting.filter(({ at }) => at <= behind);
    for (const [index, one] of settled.entries()) {
      if (runs.length === limit) {
        waiting.push(...settled.slice(index));
        return true;
      }
      runs.push(one);
    }
    return false;
  };
  for (const { at: arrivedAt, heads } of rows) {
    if (settle(arrivedAt)) return { runs, next: next() };
    if (arrivedAt < since) break;
    if (after === null || arrivedAt <= after.at) {
      if (looked === reports) return { runs, next: { at: arrivedAt, id: "" } };
      looked += 1;
    }
    for (const head of heads) {
      const place = placeOf(head, arrivedAt);
      if (place.at < since || (after !== null && compare(place, after) <= 0)) continue;
      const run = pick(head, arrivedAt);
      if (run !== null) waiting.push({ ...place, run });
    }
  }
  return settle(Number.NEGATIVE_INFINITY) ? { runs, next: next() } : { runs, next: null };
}

/** The newest first; of one time by their ids. */
function compare(one: RunPlace, other: RunPlace): number {
  return other.at - one.at || (one.id < other.id ? -1 : Number(one.id > other.id));
}
