import { LIMITS } from "../../src/contract/limits.ts";
import { findViolations, isLost, isRunTwice } from "./find-violations.ts";
import type { LoopResult } from "./run-loop.ts";

export interface Report {
  readonly initiated: number;
  readonly lost: number;
  /** Everything that went against the contract, lost jobs included. */
  readonly violations: readonly string[];
  /** The table that `npm run chaos` prints. */
  readonly table: string;
}

/** Make the report of a run. */
export function makeReport(loops: readonly LoopResult[], elapsedMs: number): Report {
  const jobs = loops.flatMap((loop) => loop.jobs);
  const initiated = jobs.filter(({ jobId }) => jobId !== null);
  const unpromised = jobs.filter(({ jobId }) => jobId === null);
  const acted = jobs.map(({ attempts }) => attempts.filter(({ actedAt }) => actedAt !== null).length);
  const lost = jobs.filter(isLost).length;
  const notWoken = loops.flatMap((loop) => loop.notWoken);
  const rows: readonly (readonly [label: string, value: number | string])[] = [
    ["loops", loops.length],
    ["runtime killed with SIGKILL", sum(loops.map(({ kills }) => kills))],
    ["jobs initiated", initiated.length],
    ["  ended as succeeded", initiated.filter(({ record }) => record?.status === "succeeded").length],
    [
      "  ended as unknown, at most once",
      initiated.filter(({ record }) => record?.status === "unknown").length,
    ],
    ["  lost", lost],
    ["at-most-once jobs", jobs.filter(({ once }) => once).length],
    ["  run twice", jobs.filter(isRunTwice).length],
    ["attempts taken over by the alarm", sum(loops.map((loop) => loop.attemptsTakenOver))],
    ["jobs run by the alarm before any request", sum(loops.map((loop) => loop.jobsWoken))],
    ["  waited for in vain", notWoken.length],
    ["side effects repeated, same key", acted.filter((times) => times > 1).length],
    ["actions whose answer never arrived", unpromised.length],
    ["  of these, run all the same", unpromised.filter(({ attempts }) => attempts.length > 0).length],
    ["time", `${(elapsedMs / 1000).toFixed(1)} s`],
  ];
  const violations = [
    ...findViolations(jobs, LIMITS.jobAttempts),
    ...notWoken.map((n) => `job n=${n}: the alarm alone did not run it`),
  ];
  return { initiated: initiated.length, lost, violations, table: layOut(rows) };
}

function layOut(rows: readonly (readonly [label: string, value: number | string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${String(value).padStart(7)}`).join("\n");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
