import * as LIMITS from "../../src/core/contract/limits.ts";
import { findRunViolations, isRunLost, isRunRepeated, type RunEvidence } from "./find-run-violations.ts";
import type { ClockResult } from "./miss-clock.ts";
import { HOOK_FAULTS } from "./plan-hook-loop.ts";
import type { Row } from "./report.ts";
import type { HookLoops } from "./run-hook-loops.ts";

/** The results of webhooks and clocks; each part is optional, for shorter runs. */
export interface HookResults {
  readonly hooks?: HookLoops;
  /** Runs whose object was evicted. */
  readonly evicted?: readonly RunEvidence[];
  readonly clock?: ClockResult;
}

export interface HookReport {
  readonly kills: number;
  readonly faults: readonly Row[];
  readonly promises: readonly Row[];
  readonly means: readonly Row[];
  readonly violations: readonly string[];
}

/** Make the part of the report that is about runs without a caller. */
export function makeHookReport({ hooks, evicted = [], clock }: HookResults): HookReport {
  const { loops = [], strangers = [] } = hooks ?? {};
  const runs = [...loops.flatMap((loop) => loop.runs), ...evicted];
  const taken = runs.filter(({ jobIds }) => jobIds.length > 0);
  const endedAs = (status: string): number => taken.filter(({ record }) => record?.status === status).length;
  // The first event of such a loop is the one that the runtime is killed after.
  const killed = loops.flatMap((loop) => (loop.fault === null ? loop.runs.slice(0, 1) : []));
  const notWoken = loops.flatMap((loop) => loop.notWoken);
  const timesOf = ({ jobIds: [first, ...repeats] }: RunEvidence): number =>
    repeats.filter((jobId) => jobId === first).length;
  return {
    kills: sum(loops.map((loop) => loop.kills)),
    faults: [
      ["with webhooks: killed after a 202, or in its run", killed.length],
      ...HOOK_FAULTS.map(({ label }): Row => [
        `with webhooks: ${label}`,
        loops.filter(({ fault }) => fault === label).length,
      ]),
      ["times of a clock that passed while nothing ran", clock?.missed ?? 0],
    ],
    promises: [
      ["events answered 202", taken.length],
      ["  run ended as succeeded", endedAs("succeeded")],
      ["  run ended as unknown, a write in doubt", endedAs("unknown")],
      ["  run lost", runs.filter(isRunLost).length],
      ["  run twice", runs.filter(isRunRepeated).length],
      ["  delivered again, told the same run", sum(taken.map(timesOf))],
      ["runs killed after their 202", killed.length],
      ["  ended", killed.filter((run) => !isRunLost(run)).length],
      ["runs of a clock for what it missed", clock?.statuses.length ?? 0],
    ],
    means: [
      ["runs taken over by the alarm before any request", sum(loops.map((loop) => loop.runsWoken))],
      ["  waited for in vain", notWoken.length],
    ],
    violations: [
      ...findRunViolations(runs, LIMITS.jobAttempts),
      ...strangers.map((id) => `run ${id}: no sender was told of it`),
      ...notWoken.map((n) => `delivery n=${n}: the alarm alone did not run it`),
      ...(clock === undefined ? [] : findClockViolations(clock)),
    ],
  };
}

/** However many of its times have passed, a clock makes one run, which writes under one key. */
export function findClockViolations({ statuses, writes }: ClockResult): string[] {
  const isFine = statuses.length === 1 && statuses[0] === "succeeded" && writes === 1;
  return isFine
    ? []
    : [`the clock that was missed ran as ${statuses.join(", ") || "nothing"}, and wrote ${writes} times`];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
