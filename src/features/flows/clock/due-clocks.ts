import type { FlowClock } from "../../added-tools/stored-tools.ts";
import { type CronClock, timesOf } from "./next-time.ts";

/** The run to make for a clock, and its next time. */
export interface Due {
  /** The scheduled time that a run is for; null where none is due. */
  readonly run: number | null;
  /** The time to keep: the first that comes after now. */
  readonly nextAt: number | null;
}

/**
 * Say what is due of a clock at `nowMs`. However many of its times have passed, one run is for all of them, and is for the
 * latest. `nextAt` is later than now and never earlier than it was, so a caller that keeps it before the run begins runs no time
 * twice, also when the machine's clock is set back.
 */
export function dueClock(clock: FlowClock, nowMs: number): Due {
  const { nextAt } = clock;
  if (nextAt === null || nowMs < nextAt) return { run: null, nextAt };
  const timeAfter = timesOf(clock);
  let run = nextAt;
  // After this there is no time until now. A year of minutes is passed in halves, not minute by minute.
  let none = nowMs;
  for (;;) {
    const next = timeAfter(run);
    if (next === null || next > nowMs) return { run, nextAt: next };
    const middle = Math.floor((next + none) / 2);
    const later = timeAfter(middle);
    const isPassed = later !== null && later <= nowMs;
    run = isPassed ? later : next;
    if (!isPassed) none = middle;
  }
}

/** The first time of a clock that is put, or put again, at `nowMs`: of what was kept before it nothing counts. */
export function startClock(clock: CronClock, nowMs: number): FlowClock {
  return { cron: clock.cron, timezone: clock.timezone, nextAt: timesOf(clock)(nowMs) };
}
