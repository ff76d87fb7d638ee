import * as LIMITS from "../../src/core/contract/limits.ts";
import * as RUNS_LIMITS from "../../src/features/runs/limits.ts";
import { FAULTS } from "./fault.ts";
import type { BacklogResult } from "./fill-backlog.ts";
import { countLateAttempts, findViolations, isLost, isRunTwice } from "./find-violations.ts";
import { type HookResults, makeHookReport } from "./hook-report.ts";
import type { LostRuns } from "./lose-runs.ts";
import type { KilledPairs } from "./pairs/kill-pairs.ts";
import type { LoopResult } from "./run-loop.ts";
import type { StormResult } from "./storm.ts";
import type { UndoRuns } from "./undo-runs.ts";
import type { WaitBehind } from "./wait-behind.ts";
import type { EvictionResult } from "./wait-for-eviction.ts";

/** The parts of a run; each is optional, for shorter runs. */
export interface ChaosResults extends Omit<HookResults, "evicted"> {
  readonly loops?: readonly LoopResult[];
  readonly storm?: StormResult;
  readonly backlog?: BacklogResult;
  readonly eviction?: EvictionResult;
  readonly runs?: LostRuns;
  readonly undone?: UndoRuns;
  readonly behind?: WaitBehind;
  readonly pairs?: KilledPairs;
  readonly elapsedMs?: number;
}

export interface Report {
  readonly initiated: number;
  readonly lost: number;
  /** Everything that went against the contract, lost jobs included. */
  readonly violations: readonly string[];
  /** The table that `npm run chaos` prints. */
  readonly table: string;
}

export type Row = readonly [label: string, value: number | string];

/** Make the report of a run. */
export function makeReport(results: ChaosResults): Report {
  const { loops = [], storm, backlog, eviction, runs, undone, behind, pairs } = results;
  const hooks = makeHookReport({ ...results, ...(eviction !== undefined && { evicted: eviction.runs }) });
  const jobs = [...loops.flatMap((loop) => loop.jobs), ...(backlog?.jobs ?? []), ...(eviction?.jobs ?? [])];
  const initiated = jobs.filter(({ jobId }) => jobId !== null);
  const lost = jobs.filter(isLost).length;
  const notWoken = loops.flatMap((loop) => loop.notWoken);
  const overAdmissions = (storm?.overQuota ?? 0) + (storm?.overCap ?? 0);
  const endedAs = (status: string): number =>
    initiated.filter(({ record }) => record?.status === status).length;
  const acted = jobs.map(({ attempts }) => attempts.filter(({ actedAt }) => actedAt !== null).length);
  const rows: readonly Row[] = [
    ...faultRows(results, hooks.kills),
    ...hooks.faults,
    ["", ""],
    ["jobs initiated", initiated.length],
    ["  ended as succeeded", endedAs("succeeded")],
    ["  ended as unknown, at most once", endedAs("unknown")],
    ["  lost", lost],
    ["at-most-once jobs initiated", initiated.filter(({ once }) => once).length],
    ["  run twice", jobs.filter(isRunTwice).length],
    ["writes turned away by a quota", storm?.denied ?? 0],
    ["writes admitted by it", storm?.admitted ?? 0],
    ["calls let through by a global cap of two", storm?.cappedCalls ?? 0],
    ["  over-admissions", overAdmissions],
    ...hooks.promises,
    ["batches answered before a kill", runs?.answered ?? 0],
    ["  runs of them lost", runs?.lost ?? 0],
    ["  the oldest lost, ms before its kill", runs?.oldestLostMs ?? 0],
    ["  jobs, questions, keyed answers lost", runs?.broken.length ?? 0],
    ["batches of five writes, undone where one fails", undone?.runs ?? 0],
    ["  answered before a kill", undone?.answered ?? 0],
    ["  undone", undone?.undone ?? 0],
    ["  writes that were made", undone?.booked ?? 0],
    ["  taken back, each once", undone?.takenBack ?? 0],
    ["  called unknown", undone?.unknown ?? 0],
    ["  whose entry and ledger differ", undone?.violations.length ?? 0],
    ["  seed", undone?.seed ?? 0],
    ["long batches in the background, short ones behind", behind?.long ?? 0],
    ["  still waiting when those were over", behind?.waiting ?? 0],
    ["  writes of them", (behind?.long ?? 0) * (behind?.elements ?? 0)],
    ["  called unknown", behind?.unknown ?? 0],
    ["  lost, sent twice, or above eight at once", behind?.violations.length ?? 0],
    ["two features that write at once, killed meanwhile", pairs?.kills ?? 0],
    ...(pairs?.pairs ?? []).map(({ name, kills, cut }): Row => [
      `  ${name}, of ${kills} cut off an answer`,
      cut,
    ]),
    ["  lost, written twice, or seen by others", pairs?.violations.length ?? 0],
    ["  seed", pairs?.seed ?? 0],
    ["", ""],
    ["attempts taken over by the alarm", sum(loops.map((loop) => loop.attemptsTakenOver))],
    ["jobs run by the alarm before any request", sum(loops.map((loop) => loop.jobsWoken))],
    ["  waited for in vain", notWoken.length],
    ...hooks.means,
    ["jobs with an attempt that was answered too late", countLateAttempts(jobs)],
    ["side effects repeated, same key", acted.filter((times) => times > 1).length],
    ["time", `${((results.elapsedMs ?? 0) / 1000).toFixed(1)} s`],
  ];
  const violations = [
    ...findViolations(jobs, LIMITS.jobAttempts),
    ...hooks.violations,
    ...notWoken.map((n) => `job n=${n}: the alarm alone did not run it`),
    ...(runs?.broken ?? []),
    ...(undone?.violations ?? []),
    ...(behind?.violations ?? []),
    ...(pairs?.violations ?? []),
    ...((runs?.holes ?? 0) > 0 ? [`${runs!.holes} runs lost although a later one was kept`] : []),
    ...((runs?.oldestLostMs ?? 0) > 2 * RUNS_LIMITS.runReportMs
      ? [`a run lost that was answered ${runs!.oldestLostMs} ms before its kill`]
      : []),
    ...(overAdmissions > 0
      ? [`${storm?.overQuota} writes above a quota, ${storm?.overCap} calls above the cap`]
      : []),
  ];
  return { initiated: initiated.length, lost, violations, table: layOut(rows) };
}

function faultRows(
  { loops = [], storm, backlog, eviction, clock, runs, undone, behind, pairs }: ChaosResults,
  hookKills: number,
): readonly Row[] {
  const others = sum([storm, clock, runs, undone, behind, pairs].map((part) => part?.kills ?? 0));
  const kills = sum(loops.map((loop) => loop.kills)) + hookKills + others;
  const inStorm = (fault: string): number => storm?.faults.get(fault) ?? 0;
  return [
    ["runtime killed with SIGKILL", kills],
    ...FAULTS.map(({ label }): Row => [label, loops.filter(({ fault }) => fault === label).length]),
    [
      "under load: object crashed in an admission",
      inStorm("crash-before-write") + inStorm("crash-after-write"),
    ],
    ["under load: objects crashed between admissions", inStorm("crash")],
    ["under load: clocks set back", inStorm("clock")],
    ["objects evicted while their jobs or runs waited", eviction?.evictions ?? 0],
    ["jobs refused because the backlog was full", backlog?.refused ?? 0],
  ];
}

function layOut(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows
    .map(([label, value]) => `${label.padEnd(width)}  ${String(value).padStart(7)}`.trimEnd())
    .join("\n");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
