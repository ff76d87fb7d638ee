import { SUBJECT, SUBJECT_WITH_JOB } from "./contenders.ts";
import type { Cost } from "./cost.ts";
import type { DiamondTimes } from "./diamond.ts";
import type { Latency, Running, Throughput } from "./measure.ts";
import type { PlanningTime } from "./planning.ts";
import type { StartUp } from "./start-up.ts";
import { median, spread } from "./statistics.ts";

export interface Findings {
  readonly throughput: ReadonlyMap<number, ReadonlyMap<string, Throughput>>;
  readonly latency: ReadonlyMap<string, Latency>;
  readonly latencyTitle: string;
  readonly planning: PlanningTime;
  readonly diamond: readonly DiamondTimes[];
  readonly costs: readonly Cost[];
  /** The first is what the others are compared with. */
  readonly startUps: readonly StartUp[];
}

/** What Volley is held to, against baseline (a) in the same run. */
export const TARGETS = {
  throughputRatio: new Map([
    [3, 0.8],
    [10, 0.8],
  ]),
  /** A batch of which one action is a recorded background job, against the same number of plain calls. */
  jobThroughputRatio: 0.36,
  p50OverheadMs: 1.5,
  bundleGzipBytes: 120 * 1024,
  planMicros: 150,
  /** CPU until the Worker listens, against hono + zod. */
  startUpRatio: 1.3,
} as const;

/** Above this spread of the baseline's own rounds the machine was too busy for the absolute numbers to mean much. */
const NOISY_SPREAD = 0.25;

/** Make the report that `npm run bench` prints. The first contender is the baseline. */
export function makeReport(contenders: readonly Running[], findings: Findings): string {
  const lines: string[] = [];
  for (const [n, series] of findings.throughput) lines.push(...throughputTable(contenders, n, series), "");
  lines.push(...latencyTable(contenders, findings), "", ...bundleTable(contenders), "");
  lines.push(...planningTable(findings.planning), "", ...diamondTable(findings.diamond), "");
  lines.push(...costTable(findings.costs), "", ...startUpTable(findings.startUps));
  return lines.join("\n");
}

function planningTable({ edges, microsPerPlan }: PlanningTime): string[] {
  const verdict = microsPerPlan <= TARGETS.planMicros ? "met" : "MISSED";
  return [
    `Planning 50 actions with ${edges} edges, in workerd: ${microsPerPlan.toFixed(0)} µs, median (≤ ${TARGETS.planMicros} µs ${verdict})`,
  ];
}

function costTable(costs: readonly Cost[]): string[] {
  const rows = costs.map(({ label, calls, rows: written, dollarsPerMillion, rowsTarget }) => [
    label,
    calls.toFixed(3),
    written.toFixed(3),
    `$${dollarsPerMillion.toFixed(2)}`,
    `rows ≤ ${rowsTarget} ${written <= rowsTarget ? "met" : "MISSED"}`,
  ]);
  const header = ["", "object calls", "rows written", "a million", "target"];
  return [
    "Cost of the tenant's object: calls at $0.15 a million, rows written ($1.00 a million; setAlarm is one), nothing else",
    ...table([header, ...rows]),
  ];
}

function startUpTable(startUps: readonly StartUp[]): string[] {
  const rows = startUps.map(({ label, cpuMs }, index) => {
    const ratio = cpuMs / (startUps[0]?.cpuMs ?? Number.NaN);
    const verdict = ratio <= TARGETS.startUpRatio ? "met" : "MISSED";
    const target = index === 0 ? "" : `≤ ${TARGETS.startUpRatio} ${verdict}`;
    return [label, cpuMs.toFixed(0), ratio.toFixed(2), target];
  });
  return ["CPU until the Worker listens", ...table([["", "ms", "ratio", "target"], ...rows])];
}

function diamondTable(ways: readonly DiamondTimes[]): string[] {
  const [one] = ways;
  if (one === undefined) return [];
  const rows = ways.map(({ label, roundTrips, medianMs }) => [
    label,
    String(roundTrips),
    medianMs.toFixed(0),
    `${(medianMs / one.medianMs).toFixed(2)}x`,
    String(roundTrips - one.roundTrips),
  ]);
  const header = ["", "round trips", "ms", "of one batch", "saved by one batch"];
  return [
    "Diamond: a search, three details of it, one that needs all three; upstream 100 ms",
    ...table([header, ...rows]),
  ];
}

function throughputTable(
  contenders: readonly Running[],
  n: number,
  series: ReadonlyMap<string, Throughput>,
): string[] {
  const base = series.get(contenders[0]?.name ?? "");
  if (base === undefined) return [];
  const noisy = spread(base.requestsPerSecond) > NOISY_SPREAD ? "   (noisy: other work on this machine)" : "";
  const rows = contenders.map(({ name, label }) => {
    const own = series.get(name) ?? base;
    const ratios = own.requestsPerSecond.map((value, i) => value / (base.requestsPerSecond[i] ?? Number.NaN));
    const ratio = median(ratios);
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    const addedMicros = median(own.cpuMicros) - median(base.cpuMicros);
    return [
      label,
      median(own.requestsPerSecond).toFixed(0),
      (median(own.requestsPerSecond) * n).toFixed(0),
      ratio.toFixed(2),
      range,
      median(own.cpuMicros).toFixed(0),
      signed(addedMicros, 0),
      judge(name, targetOf(name, n), (target) => [`≥ ${target.toFixed(2)}`, ratio >= target]),
    ];
  });
  const header = ["", "batches/s", "calls/s", "ratio", "range", "CPU µs/batch", "vs (a)", "target"];
  return [`Throughput, N = ${n}${noisy}`, ...table([header, ...rows])];
}

function latencyTable(contenders: readonly Running[], findings: Findings): string[] {
  const base = findings.latency.get(contenders[0]?.name ?? "");
  const rows = contenders.flatMap(({ name, label }) => {
    const own = findings.latency.get(name);
    if (own === undefined || base === undefined) return [];
    const p50 = median(own.p50sMs.map((value, i) => value - (base.p50sMs[i] ?? Number.NaN)));
    return [
      [
        label,
        own.p50Ms.toFixed(2),
        own.p99Ms.toFixed(2),
        signed(p50, 2),
        signed(own.p99Ms - base.p99Ms, 2),
        String(own.samples),
        judge(name, TARGETS.p50OverheadMs, (target) => [`p50 ≤ +${target} ms`, p50 <= target]),
      ],
    ];
  });
  const header = ["", "p50 ms", "p99 ms", "p50 vs (a)", "p99 vs (a)", "samples", "target"];
  return [findings.latencyTitle, ...table([header, ...rows])];
}

function bundleTable(contenders: readonly Running[]): string[] {
  const rows = contenders.flatMap(({ name, label, gzipBytes }) => {
    if (gzipBytes === undefined) return [];
    const limit = TARGETS.bundleGzipBytes;
    const verdict = judge(name, limit, () => [`≤ ${limit / 1024} KiB`, gzipBytes <= limit]);
    return [[label, `${(gzipBytes / 1024).toFixed(1)} KiB`, verdict]];
  });
  return ["Bundle, minified and gzipped", ...table([["", "size", "target"], ...rows])];
}

function targetOf(name: string, n: number): number | undefined {
  if (name === SUBJECT_WITH_JOB) return n === 3 ? TARGETS.jobThroughputRatio : undefined;
  return TARGETS.throughputRatio.get(n);
}

/** Say whether a target is met; only Volley has targets. */
function judge(
  name: string,
  target: number | undefined,
  compare: (target: number) => [text: string, met: boolean],
): string {
  if ((name !== SUBJECT && name !== SUBJECT_WITH_JOB) || target === undefined) return "";
  const [text, met] = compare(target);
  return `${text} ${met ? "met" : "MISSED"}`;
}

function signed(value: number, digits: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(digits)}`;
}

/** Lay out rows in columns: the first to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
