import { makeTicks, sayTick } from "../../../console/run/time-line.ts";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import type { Trace } from "./make-trace.ts";

/** Where times stand on the width of a trace, in percent. */
export interface TimeScale {
  readonly at: (ms: number) => number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  /** Where the run was answered and its jobs went on by a scale of their own; null where one scale has room for both. */
  readonly breakAt: number | null;
}

/** A job that goes on so many times as long as its run would leave the run no width. */
const MOST_FACTOR = 1.6;
/** The share of a run whose jobs have a scale of their own, and the gap between the two. */
const RUN_SHARE = 64;
const GAP = 3;
const LEAST_MS = 4;

/** Make the scale of a run and of the jobs that went on after it. @param trace until when it went on, and when that began */
export function makeTimeScale({
  runMs,
  lastMs,
  afterMs = runMs,
}: Pick<Trace, "runMs" | "lastMs"> & Partial<Pick<Trace, "afterMs">>): TimeScale {
  const run = Math.max(LEAST_MS, runMs);
  const last = Math.max(run, lastMs);
  if (last <= run * MOST_FACTOR) {
    const at = (ms: number): number => clamp((100 * ms) / last);
    return {
      at,
      ticks: [0, ...makeTicks(last)].map((ms) => ({ at: at(ms), label: sayTick(ms, last) })),
      breakAt: null,
    };
  }
  const afterAt = RUN_SHARE + GAP;
  const begun = Math.max(run, afterMs);
  const at = (ms: number): number =>
    ms <= run
      ? clamp((RUN_SHARE * ms) / run)
      : clamp(afterAt + ((100 - afterAt) * (ms - begun)) / Math.max(LEAST_MS, last - begun));
  const ticks = [0, ...makeTicks(run)].map((ms) => ({ at: at(ms), label: sayTick(ms, run) }));
  return { at, ticks: [...ticks, { at: 100, label: sayDuration(last) }], breakAt: RUN_SHARE + GAP / 2 };
}

function clamp(percent: number): number {
  return Math.round(100 * Math.min(100, Math.max(0, percent))) / 100;
}
