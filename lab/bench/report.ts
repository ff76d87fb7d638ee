import type { Cost } from "./cost.ts";
import type { DiamondTimes } from "./diamond.ts";
import type { Counted, GateCalls } from "./gate-calls.ts";
import type { Latency } from "./measure.ts";
import type { PlanningTime } from "./planning.ts";
import type { BatchCpu } from "./rig.ts";
import type { StartUp } from "./start-up.ts";
import { median, quantile } from "./statistics.ts";
import { quantilesOf, type WebhookTimes } from "./webhooks.ts";
import { TARGETS } from "./targets.ts";

/** CPU of contenders as they are behind six header slots and, where it was measured, without. */
export interface CpuOfBatches {
  readonly slots: readonly BatchCpu[];
  readonly plain?: readonly BatchCpu[];
}

/** A difference between two processes of the baseline that is larger hides steps of its size. */
const EQUAL_WITHIN = 0.02;

/** The first contender is the baseline, whose two processes are compared first; the last is held to the target. */
export function makeCpuTable(title: string, { slots, plain }: CpuOfBatches, target?: number): string[] {
  const kinds = plain === undefined ? [slots] : [slots, plain];
  const rows = slots.map(({ label }, at) => {
    const cells = kinds.flatMap((all) => [sayMicros(all[at]!), (mean(all[0]!) / mean(all[at]!)).toFixed(2)]);
    const isLast = at === slots.length - 1 && target !== undefined;
    return [label, ...cells, isLast ? atLeast(mean(slots[0]!) / mean(slots[at]!), target) : ""];
  });
  const header = [
    "",
    "six slots: CPU µs",
    "of (a)",
    ...(plain === undefined ? [] : ["no slots: CPU µs", "of (a)"]),
  ];
  return [
    title,
    ...kinds.map((all, at) => sayBare(all[0]!, at === 0)),
    ...table([[...header, "target"], ...rows]),
  ];
}

/** Say how far two processes of the baseline are apart: less than that cannot be seen. */
function sayBare({ micros }: BatchCpu, isBehindSlots: boolean): string {
  const [one = Number.NaN, other = Number.NaN] = micros;
  const apart = Math.abs(one - other) / Math.min(one, other);
  const verdict = apart <= EQUAL_WITHIN ? "met" : "MISSED";
  return (
    `(a) against itself, ${isBehindSlots ? "six slots" : "no slots"}: ${one.toFixed(0)} and ${other.toFixed(0)} µs, ` +
    `${(100 * apart).toFixed(1)} % apart (≤ ${100 * EQUAL_WITHIN} % ${verdict})`
  );
}

function sayMicros(cpu: BatchCpu): string {
  return `${mean(cpu).toFixed(0)} (${cpu.micros.map((micros) => micros.toFixed(0)).join(", ")})`;
}

function mean({ micros }: BatchCpu): number {
  return micros.reduce((sum, value) => sum + value, 0) / micros.length;
}

/** Contenders in pairs: a baseline, and what is compared with it. */
export function makeLatencyTable(title: string, all: readonly Latency[]): string[] {
  const rows = all.map((own, at) => {
    const sorted = own.all.toSorted((a, b) => a - b);
    const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
    const base = at % 2 === 1 ? all[at - 1]! : undefined;
    const cells = [own.label, p50.toFixed(2), p99.toFixed(2)];
    if (base === undefined) return [...cells, "", "", "", "", String(sorted.length), ""];
    const overheads = own.p50sMs.map((value, i) => value - base.p50sMs[i]!);
    const tails = own.p99sMs.map((value, i) => value - base.p99sMs[i]!);
    const verdicts = [
      atMost(median(overheads), TARGETS.p50OverheadMs),
      atMost(median(tails), TARGETS.p99OverheadMs),
    ];
    return [
      ...cells,
      signed(median(overheads)),
      range(overheads, 2),
      signed(median(tails)),
      range(tails, 2),
      String(sorted.length),
      verdicts.join(", "),
    ];
  });
  const header = ["", "p50 ms", "p99 ms", "p50 more", "min–max", "p99 more", "min–max", "samples", "target"];
  return [title, ...table([header, ...rows])];
}

export function makeGateCallsTable(all: readonly GateCalls[]): string[] {
  const cells = ({ batches, callsPerBatch }: Counted): string[] => [
    String(batches),
    callsPerBatch.toFixed(3),
    atMost(callsPerBatch, TARGETS.gateCallsPerBatch),
  ];
  const head = ["", "first batches", "calls a batch", "target", "then", "calls a batch", "target"];
  const rows = all.map(({ label, first, later }) => [label, ...cells(first), ...cells(later)]);
  return ["Calls of Durable Objects, by an isolate that held nothing at first", ...table([head, ...rows])];
}

/** Volley is compared with hono + zod, a start with the one of the same turn. */
export function makeStartUpTable(all: readonly StartUp[]): string[] {
  const base = all.find(({ name }) => name === "hono-zod")!;
  const rows = all.map(({ name, label, listeningMs, wallMs, firstMs, discoveryMs, mcpMs }) => {
    const ratios = listeningMs.map((value, i) => value / base.listeningMs[i]!);
    const cells = [
      label,
      median(listeningMs).toFixed(0),
      range(listeningMs, 0),
      median(ratios).toFixed(2),
      range(ratios, 2),
      median(firstMs).toFixed(1),
      range(firstMs, 1),
      median(wallMs).toFixed(0),
    ];
    const later = [discoveryMs, mcpMs].map((all) => (all.length === 0 ? "" : median(all).toFixed(0)));
    if (name !== "volley-core" && name !== "volley") return [...cells, ...later, ""];
    const target = TARGETS.startUp[name];
    const verdicts = [atMost(median(ratios), target.ratio), atMost(median(firstMs), target.firstMs)];
    return [...cells, ...later, verdicts.join(", ")];
  });
  const header = ["", "ms", "min–max", "of (b)", "min–max", "first batch ms", "min–max", "wall ms"];
  const rest = ["first search", "first MCP", "target"];
  return [
    `CPU of a cold start, until the Worker listens and then (median of ${base.firstMs.length})`,
    ...table([[...header, ...rest], ...rows]),
  ];
}

export function makeBundleLine(gzipBytes: number): string {
  const kib = (gzipBytes / 1024).toFixed(1);
  const target = atMost(gzipBytes / 1024, TARGETS.bundleGzipBytes / 1024);
  return `Bundle that is deployed, minified and gzipped: ${kib} KiB (${target})`;
}

export function makePlanningLine({ edges, microsPerPlan }: PlanningTime): string {
  const target = atMost(microsPerPlan, TARGETS.planMicros);
  return `Planning 50 actions with ${edges} edges, in workerd: ${microsPerPlan.toFixed(0)} µs, median (${target})`;
}

export function makeWebhookTable({ alone, fanOut, burst, burstMs }: WebhookTimes): string[] {
  const row = (label: string, times: readonly number[]): string[] => {
    const [p50, p99, max] = quantilesOf(times);
    const shown = [p50, p99, max].map((ms) => ms.toFixed(1));
    return [label, String(times.length), ...shown, atMost(p50, TARGETS.webhookP50Ms)];
  };
  return [
    "Signed deliveries of a webhook, from the first byte to the 202, in ms; each starts a run of one read",
    ...table([
      ["", "deliveries", "p50", "p99", "max", "p50"],
      row("one after the other", alone),
      row("the same, each with 25 out", fanOut),
      row("at once", burst),
    ]),
    `The last run of those at once ended ${(burstMs / 1_000).toFixed(1)} s after the first delivery`,
  ];
}

export function makeCostTable(costs: readonly Cost[]): string[] {
  const rows = costs.map(({ label, calls, rows: written, dollarsPerMillion, rowsTarget }) => [
    label,
    calls.toFixed(3),
    written.toFixed(3),
    `$${dollarsPerMillion.toFixed(2)}`,
    atMost(written, rowsTarget),
  ]);
  const header = ["", "object calls", "rows written", "a million", "rows"];
  return [
    "Cost of the tenant's object: calls at $0.15 a million, rows written ($1.00 a million; setAlarm is one), nothing else",
    ...table([header, ...rows]),
  ];
}

export function makeDiamondTable(ways: readonly DiamondTimes[]): string[] {
  const [one] = ways;
  const rows = ways.map(({ label, roundTrips, medianMs }) => [
    label,
    String(roundTrips),
    medianMs.toFixed(0),
    `${(medianMs / one!.medianMs).toFixed(2)}x`,
    String(roundTrips - one!.roundTrips),
  ]);
  const header = ["", "round trips", "ms", "of one batch", "saved by one batch"];
  return [
    "Diamond: a search, three details of it, one that needs all three; upstream 100 ms",
    ...table([header, ...rows]),
  ];
}

function atLeast(value: number, target: number): string {
  return `≥ ${target} ${value >= target ? "met" : "MISSED"}`;
}

export function atMost(value: number, target: number): string {
  return `≤ ${target} ${value <= target ? "met" : "MISSED"}`;
}

export function range(values: readonly number[], digits: number): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}

export function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(2)}`;
}

/** Lay out rows in columns: the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
