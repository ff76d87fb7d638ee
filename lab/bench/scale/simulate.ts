import { KINDS, type Kind, type Tally } from "./hosted-object.ts";
import { type Ends, Traffic, type TrafficOptions } from "./traffic.ts";
import { PRICES } from "./workload.ts";

export interface SimulateOptions extends TrafficOptions {
  /** Before anything is counted: so long until leases and rows are as they stay. */
  readonly warmUpS: number;
  readonly seconds: number;
}

/** The object that was busiest. */
export interface Hottest {
  readonly name: string;
  readonly callsPerS: number;
  readonly writesPerS: number;
  /** The part of its time that it was busy, by the documented ceilings; and in the second that was worst. */
  readonly load: number;
  readonly worstSecond: number;
}

export interface Figures {
  readonly rate: number;
  readonly seconds: number;
  readonly ends: Ends;
  readonly isolates: number;
  readonly objects: number;
  /** Those of them that are shards for the jobs of wide batches. */
  readonly shards: number;
  readonly leases: number;
  readonly kinds: Readonly<Record<Kind, Tally>>;
  readonly calls: number;
  /** Rows written in that time, and those that forgetting what it left will write. */
  readonly rows: number;
  readonly rowsForgotten: number;
  readonly hottest: Hottest;
  /** Waits in an object's line, in milliseconds: of every call, that of the 99th of a hundred. */
  readonly waitP99Ms: number;
  /** Among the tenants that stay within their quota, the admitted part of the requests of the least served. */
  readonly leastServed: number;
  /** The requests of the flood and the admitted ones; null without a flood. */
  readonly flood: Ends | null;
  readonly dollarsPerMillionBatches: number;
  readonly events: number;
}

const MS_PER_DAY = 24 * 3_600_000;

/** Run the traffic, and count. The same options give the same figures, to the last digit. */
export async function simulate(options: SimulateOptions): Promise<Figures> {
  const { rate, seconds, warmUpS } = options;
  const traffic = new Traffic(options);
  const { tenants } = traffic;
  await traffic.queue.run(warmUpS);
  traffic.forgetFigures();
  // Half way, as good a moment as any.
  await traffic.queue.run(seconds / 2);
  const { leases } = traffic;
  await traffic.queue.run(seconds / 2);
  const objects = [...traffic.objects.values()];
  const called = objects.filter(({ calls }) => calls > 0);
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, { calls: 0, rows: 0 }])) as Record<Kind, Tally>;
  const hottest = { name: "", callsPerS: 0, writesPerS: 0, load: 0, worstSecond: 0 };
  const waits: number[] = [];
  for (const { name, tallies, calls, writes, busyMs, worstSecondMs, waits: some } of called) {
    for (const [kind, tally] of tallies) {
      kinds[kind].calls += tally.calls;
      kinds[kind].rows += tally.rows;
    }
    for (const wait of some) waits.push(wait);
    const load = busyMs / 1_000 / seconds;
    if (load <= hottest.load) continue;
    const [callsPerS, writesPerS] = [calls / seconds, writes / seconds];
    Object.assign(hottest, { name, callsPerS, writesPerS, load, worstSecond: worstSecondMs / 1_000 });
  }
  const flood = traffic.ends.get(tenants) ?? null;
  traffic.ends.delete(tenants);
  const ends = addUp([...traffic.ends.values()]);
  const calls = sum(KINDS.map((kind) => kinds[kind].calls));
  const rows = sum(KINDS.map((kind) => kinds[kind].rows));
  const { events, isolates } = { events: traffic.queue.events, isolates: traffic.isolates };
  const waitP99Ms = quantile(waits, 1 - (0.01 * calls) / Math.max(1, waits.length));
  const leastServed = Math.min(
    1,
    ...[...traffic.ends.values()].map((of) => 1 - (of.denied + of.late) / of.asked),
  );

  // Work under way ends; the rows that all of it left are forgotten a week later, and of those the part that was counted.
  traffic.stop();
  await traffic.queue.run(120);
  const later = traffic.queue.now() + 8 * MS_PER_DAY;
  const forgotten = sum(objects.map((object) => object.forgetRows(later)));
  const rowsForgotten = (forgotten * seconds) / (seconds + warmUpS);
  const batches = ends.asked + (flood?.asked ?? 0);
  return {
    rate,
    seconds,
    ends,
    isolates,
    objects: called.length,
    shards: called.filter(({ name }) => name.includes("\0")).length,
    leases,
    kinds,
    calls,
    rows,
    rowsForgotten,
    hottest,
    waitP99Ms,
    leastServed,
    flood,
    dollarsPerMillionBatches: (calls * PRICES.calls + (rows + rowsForgotten) * PRICES.rows) / batches,
    events,
  };
}

function addUp(all: readonly Ends[]): Ends {
  const total: Ends = { asked: 0, admitted: 0, denied: 0, late: 0, jobs: 0, flows: 0, refused: 0 };
  for (const ends of all) for (const key of Object.keys(total) as (keyof Ends)[]) total[key] += ends[key];
  return total;
}

function quantile(values: number[], at: number): number {
  if (values.length === 0 || at < 0) return 0;
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(at * values.length))]!;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
