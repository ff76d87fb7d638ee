import { judgeAlarms } from "./judge/judge-alarms.ts";
import { judgeRest, judgeRows, judgeMemory } from "./judge/judge-growth.ts";
import { describeLatencies, judgeLatencies, whileNothingBroke } from "./judge/judge-latencies.ts";
import { judgePromises } from "./judge/judge-promises.ts";
import { judgeCases, type Verdict } from "./judge/verdict.ts";
import { CYCLE_MS } from "./schedule.ts";
import type { SoakResult } from "./soak.ts";

const MOST_CASES = 10;
const WARM_UP_SHARE = 10;
const MOST_WARM_UP_MS = 60_000;
/** Requests that were under way when something broke. */
const BEFORE_MS = 500;
/** Calls that hang end with their deadline. */
const AFTER_FAULT_MS = 3_500;
/** A runtime that comes back compiles its code, and takes over what was under way. */
const AFTER_KILL_MS = 8_000;

/** Judge a run, and say of everything that must hold what was found. */
export function makeReport(result: SoakResult): { readonly text: string; readonly failed: number } {
  const { samples, latencies, evidence, schedule } = result;
  const verdicts = judge(result);
  const failed = verdicts.filter(({ isFine }) => !isFine);
  const lines = [
    "",
    ...layOut(
      verdicts.map(({ what, found, bound, isFine }) => [isFine ? "ok" : "WRONG", what, found, bound]),
    ),
    "",
    ...layOut([
      ["request", "answered", "p50 ms", "p95 ms", "p99 ms"],
      ...describeLatencies(latencies)
        .toSorted((a, b) => b.count - a.count)
        .map(({ kind, count, p50, p95, p99 }) => [
          kind,
          String(count),
          ...[p50, p95, p99].map((ms) => ms.toFixed(1)),
        ]),
    ]),
    "",
    `answers: ${say(evidence.answers)}`,
    `results: ${say(evidence.results)}`,
    `ends of jobs: ${say(countEnds(evidence.jobs.map(({ record }) => record?.status ?? "nothing")))}; of runs: ${say(countEnds(evidence.runs.map(({ record }) => record?.status ?? "nothing")))}`,
    `callers that stayed away because too many waited: ${evidence.leftOut}`,
    `processor: ${describeCpu(samples)}; ${result.linesMb.toFixed(1)} MB of lines looked at; ${result.objects.length} objects`,
    "",
    ...failed.flatMap(({ what, found, bound, cases = [] }) => [
      `WRONG  ${what}: ${found}; allowed: ${bound}`,
      ...cases.slice(0, MOST_CASES).map((one) => `       ${one}`),
    ]),
    failed.length === 0
      ? `All ${verdicts.length} hold (seed ${schedule.seed}).`
      : `${failed.length} of ${verdicts.length} do not hold (seed ${schedule.seed}).`,
  ];
  return { text: lines.join("\n"), failed: failed.length };
}

function judge({
  samples,
  latencies,
  evidence,
  outages,
  objects,
  lookedAtMs,
  leaks,
  uncaught,
  retentionMs,
  schedule,
  beganAt,
}: SoakResult): readonly Verdict[] {
  const warmUpMs = Math.min(MOST_WARM_UP_MS, schedule.lengthMs / WARM_UP_SHARE);
  // Rows that were kept when it began are forgotten after the retention, and are looked for a quarter later.
  const options = { warmUpMs, settledMs: retentionMs * 1.5, cycleMs: CYCLE_MS };
  const broken = [
    ...schedule.windows.map(({ fromMs, toMs }) => ({
      from: beganAt + fromMs - BEFORE_MS,
      to: beganAt + toMs + AFTER_FAULT_MS,
    })),
    ...outages.map(({ from, to }) => ({ from: from - BEFORE_MS, to: to + AFTER_KILL_MS })),
    { from: 0, to: beganAt + warmUpMs },
  ];
  return [
    ...judgeMemory(samples, options),
    ...judgeRows(samples, options),
    ...judgeRest(samples, options),
    judgeAlarms(objects, lookedAtMs),
    ...judgeLatencies(whileNothingBroke(latencies, broken)),
    ...judgePromises(evidence, outages),
    judgeCases("P7 secrets in lines and files", objects.length, leaks),
    judgeCases("uncaught exceptions", uncaught.length, uncaught),
  ];
}

function describeCpu(samples: SoakResult["samples"]): string {
  const lives = [...new Set(samples.map(({ life }) => life))];
  return lives
    .map((life) => {
      const all = samples.filter((sample) => sample.life === life);
      const [first, last] = [all[0]!, all.at(-1)!];
      const share = (last.cpuS - first.cpuS) / ((last.ms - first.ms) / 1_000);
      return `life ${life + 1} ${Number.isFinite(share) ? `${(share * 100).toFixed(0)} %` : "too short"}`;
    })
    .join(", ");
}

function countEnds(statuses: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function say(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

function layOut(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
}
