import { expect, test } from "vitest";

import { createRunLog } from "../../../../src/features/runs/objects/run-log.ts";
import type { RunReport } from "../../../../src/features/runs/run.ts";
import type { TurnedJob } from "../../../../src/features/runs/turned-job.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const SEE = { sight: { key: "k" } };

/** The log of a tenant, which can be started again. */
function openLog() {
  const clock = new VirtualClock(1_000);
  const storage = createMemoryStorage(clock, () => {});
  const RunLog = createRunLog(undefined, clock);
  const start = () => new RunLog({ storage, waitUntil: () => {} } as unknown as DurableObjectState, {});
  return { clock, start };
}

function reportOf(id: string, begunAt: number): RunReport {
  const tools = [{ tool: "t", ends: [0, 0, 1, 0, 0, 0] }];
  const head = { id, source: "http", key: "k", request: "r", startedAt: begunAt, durationMs: 1, tools };
  const body = JSON.stringify({ plan: { edges: [] }, actions: [] });
  return { id, isRepeated: false, runs: [{ head: JSON.stringify(head), body, begunAt }] };
}

function jobOf(run: string, at: number): TurnedJob {
  return { job: `of ${run}`, run, request: "r", tool: "t", status: "failed", at };
}

test("F37 An erased log takes no late report of what had begun before, nor of its jobs, after a restart either", async () => {
  const { clock, start } = openLog();
  start().erase();
  await clock.advance(5_000);
  for (const log of [start(), start()]) {
    log.report(reportOf("late", 900));
    log.hear([jobOf("new", 900)]);
    expect(log.find("late", SEE)).toBeNull();
  }
  const log = start();
  log.report(reportOf("new", 2_000));
  expect(log.find("new", SEE)).toMatchObject({ run: { status: "success" }, jobs: [] });
  log.hear([jobOf("new", 3_000)]);
  expect(start().find("new", SEE)).toMatchObject({ run: { status: "error" }, jobs: [{ status: "failed" }] });
});

test("A tenant that runs nothing more keeps nothing: what came of a run later, and a rerun that left no record, go as it does", async () => {
  const clock = new VirtualClock(DAY_MS);
  const storage = createMemoryStorage(clock, () => void log.alarm!());
  const RunLog = createRunLog(undefined, clock);
  const state = { storage, waitUntil: () => {} } as unknown as DurableObjectState;
  const log: InstanceType<typeof RunLog> = new RunLog(state, {});
  const count = (table: string) => storage.sql.exec(`SELECT * FROM ${table}`).toArray().length;
  log.report(reportOf("one", clock.now()));
  await clock.advance(3 * DAY_MS);
  const counts = { gone: 1, stands: 0, unsure: 0, going: 0, waits: 0 };
  log.hear(
    [jobOf("one", clock.now())],
    [{ id: "later", runs: ["one"], at: clock.now(), tools: [{ tool: "t", ...counts }] }],
  );
  log.claimRerun({ root: "one", rerun: "lost", writes: ["a"], after: 0 });
  expect(KEPT.map(count)).toEqual([1, 1, 1, 1]);
  await clock.advance(5 * DAY_MS);
  expect(KEPT.map(count)).toEqual([0, 1, 1, 1]);
  await clock.advance(4 * DAY_MS);
  expect(KEPT.map(count)).toEqual([0, 0, 0, 0]);
  expect(await storage.getAlarm()).toBeNull();
});

const DAY_MS = 86_400_000;
const KEPT = ["reports", "turned_jobs", "aftermaths", "reruns"];
