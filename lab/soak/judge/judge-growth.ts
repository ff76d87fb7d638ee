import type { Sample } from "../sample.ts";
import { mean, median, toThirds, type Verdict } from "./verdict.ts";

/** How a run is judged: what comes before is warming up. */
export interface GrowthOptions {
  /** The warm-up of each life of the runtime: its caches fill, and its code is compiled. */
  readonly warmUpMs: number;
  /** The part of the run until the first rows are old enough to be forgotten. */
  readonly settledMs: number;
  /** How long it takes until everything that is broken in turn has been broken once; a third has to be as long. */
  readonly cycleMs: number;
}

/** A heap grows until it is worth collecting, and the allocator keeps what was once needed: less than this a minute is that. */
const RSS_MB_PER_MIN = 4;
/** Memory in use after a collection is kept, so this is where a leak shows: a megabyte in two minutes is one. */
const HEAP_MB_PER_MIN = 0.5;
/** An isolate may have 128 MB; the runtime itself, and what its allocator keeps, come on top of it. */
const RSS_MB = 450;
/** A plateau of rows moves with the load by this, and by this many where there are few. */
const ROWS_FACTOR = 1.35;
const ROWS_SLACK = 40;
/** Marks of a limit are swept when there are a thousand in an object, so until then they are let be. */
const SWEPT_AT: Readonly<Record<string, number>> = { quota: 1_000 };
/** Less than this is no life to see a slope in. */
const LEAST_MS = 2 * 60_000;

/** Judge the memory of each life of the runtime by itself: its peak and, once it is warm, the slopes of the process and of the heap. */
export function judgeMemory(samples: readonly Sample[], { warmUpMs }: GrowthOptions): Verdict[] {
  return [...Map.groupBy(samples, ({ life }) => life)].flatMap(([life, all]) => {
    const peak = Math.max(...all.map(({ rssMb }) => rssMb));
    const peakVerdict: Verdict = {
      what: `memory, life ${life + 1}`,
      found: `${peak.toFixed(0)} MB at most`,
      bound: `${RSS_MB} MB`,
      isFine: peak <= RSS_MB,
    };
    const warm = all.filter(({ ms }) => ms >= all[0]!.ms + warmUpMs);
    // The last two thirds: what is left of warming up is in the first.
    const late = warm.slice(Math.floor(warm.length / 3));
    const lengthMs = late.length === 0 ? 0 : late.at(-1)!.ms - late[0]!.ms;
    if (lengthMs < LEAST_MS) return [peakVerdict];
    const judge = (what: string, of: (sample: Sample) => number | null, most: number): Verdict => {
      const points = late.flatMap((sample) => {
        const value = of(sample);
        return value === null ? [] : [[sample.ms / 60_000, value] as const];
      });
      const perMin = slopeOf(points);
      // There may have been no look: then nothing was shown.
      return {
        what: `${what}, slope of life ${life + 1}`,
        found: `${perMin.toFixed(2)} MB/min in ${(lengthMs / 60_000).toFixed(1)} min, at last ${points.at(-1)?.[1].toFixed(1)} MB`,
        bound: `${most} MB/min`,
        isFine: perMin <= most,
      };
    };
    return [
      peakVerdict,
      judge("memory", ({ rssMb }) => rssMb, RSS_MB_PER_MIN),
      judge("heap", ({ heapMb }) => heapMb, HEAP_MB_PER_MIN),
    ];
  });
}

/** Judge the rows of each table: once the first have become old enough to be forgotten, there are not more and more of them. */
export function judgeRows(samples: readonly Sample[], options: GrowthOptions): Verdict[] {
  const ends = toEnds(samples, options);
  if (ends === null) return [];
  const [first, last] = ends;
  const tables = [...new Set(samples.flatMap(({ rows }) => Object.keys(rows)))].toSorted();
  return tables.map((table) => {
    const of = (some: readonly Sample[]): number => mean(some.map(({ rows }) => rows[table] ?? 0));
    const [before, after] = [of(first), of(last)];
    const sweptAt = SWEPT_AT[table] ?? 0;
    const most = Math.max(before * ROWS_FACTOR + ROWS_SLACK, sweptAt);
    return {
      what: `rows of ${table}`,
      found: `${before.toFixed(0)} in the first third, ${after.toFixed(0)} in the last`,
      bound: sweptAt > 0 ? `${sweptAt}, where they are swept` : most.toFixed(0),
      isFine: after <= most,
    };
  });
}

/** Judge what else may pile up: sockets, and bytes on disk, whose pages are used again. */
export function judgeRest(samples: readonly Sample[], options: GrowthOptions): Verdict[] {
  const ends = toEnds(samples, options);
  if (ends === null) return [];
  const [first, last] = ends;
  const judge = (what: string, of: (sample: Sample) => number, slack: number): Verdict => {
    const [before, after] = [mean(first.map(of)), mean(last.map(of))];
    const most = before * ROWS_FACTOR + slack;
    return {
      what,
      found: `${before.toFixed(1)} in the first third, ${after.toFixed(1)} in the last`,
      bound: most.toFixed(1),
      isFine: after <= most,
    };
  };
  return [
    // Connections to the provider stay for a minute after a burst.
    judge("open sockets", ({ sockets }) => sockets, 60),
    judge("MB on disk", ({ storedMb }) => storedMb, 2),
    judge("alarms set", ({ alarms }) => alarms, 8),
  ];
}

/** The first third and the last of what has settled; null where they are too short to be like each other. */
function toEnds(
  samples: readonly Sample[],
  { settledMs, cycleMs }: GrowthOptions,
): readonly [first: readonly Sample[], last: readonly Sample[]] | null {
  const late = samples.filter(({ ms }) => ms >= settledMs);
  const [from, to] = [late[0], late.at(-1)];
  if (from === undefined || to === undefined || to.ms - from.ms < 3 * cycleMs) return null;
  const [first, , last] = toThirds(late, ({ ms }) => ms);
  return [first, last];
}

/**
 * The slope of points, as the median of the slopes between any two of them: what a moment holds that has just been asked for
 * something huge does not move it. NaN for fewer than two points.
 *
 * Source: P. K. Sen, Estimates of the Regression Coefficient Based on Kendall's Tau, 1968 (Theil and Sen's estimator)
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  return median(
    points.flatMap(([x, y], i) => points.slice(i + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x))),
  );
}
