import type { DayCounts } from "./endpoint-shard-methods.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The ends of an hour's deliveries, and how long answers took: by milliseconds, as far as two digits tell. */
interface Hour {
  delivered: number;
  failed: number;
  /** The attempts that failed, those that are tried again among them; absent where an earlier version counted. */
  missed?: number;
  readonly took: Record<number, number>;
}

/** How an endpoint's deliveries of a day ended, by hours since the epoch. As JSON it is what is kept. */
export type Day = Record<number, Hour>;

/** The end of an attempt: an answer that took so long, a delivery that is over. */
export interface Ended {
  readonly tookMs?: number | undefined;
  readonly as?: "delivered" | "failed" | undefined;
}

/** Count the end of an attempt in its hour; hours that are over are forgotten. */
export function countEnd(day: Day, atMs: number, { tookMs, as }: Ended): void {
  const hour = Math.floor(atMs / HOUR_MS);
  for (const other of Object.keys(day)) if (Number(other) <= hour - HOURS) delete day[Number(other)];
  const counts = (day[hour] ??= { delivered: 0, failed: 0, took: {} });
  if (as !== undefined) counts[as] += 1;
  if (as !== "delivered") counts.missed = (counts.missed ?? 0) + 1;
  if (tookMs === undefined) return;
  const rounded = toTwoDigits(tookMs);
  counts.took[rounded] = (counts.took[rounded] ?? 0) + 1;
}

/** Sum up the last day. */
export function sumDay(day: Day, nowMs: number, pending: number): DayCounts {
  const since = Math.floor(nowMs / HOUR_MS) - HOURS;
  let [delivered, failed, missed, answers] = [0, 0, 0, 0];
  const took = new Map<number, number>();
  for (const [hour, counts] of Object.entries(day)) {
    if (Number(hour) <= since) continue;
    delivered += counts.delivered;
    failed += counts.failed;
    missed += counts.missed ?? 0;
    for (const [ms, count] of Object.entries(counts.took)) {
      took.set(Number(ms), (took.get(Number(ms)) ?? 0) + count);
      answers += count;
    }
  }
  const p95Ms = answers === 0 ? null : quantile(took, Math.ceil(answers * 0.95));
  return { delivered, failed, missed, pending, p95Ms };
}

function quantile(took: ReadonlyMap<number, number>, rank: number): number {
  let [seen, last] = [0, 0];
  for (const [ms, count] of [...took].sort(([a], [b]) => a - b)) {
    last = ms;
    seen += count;
    if (seen >= rank) break;
  }
  return last;
}

/** Some hundred values tell every time apart that an answer may take, a tenth of it at most amiss. */
function toTwoDigits(ms: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ms))) - 1);
  return Math.round(ms / unit) * unit;
}
