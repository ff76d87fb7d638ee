import { beforeAll, describe, expect, test } from "vitest";
import { FAULTS } from "./fault.ts";
import { countLateAttempts, isRunTwice } from "./find-violations.ts";
import { planLoop } from "./plan-loop.ts";
import { makeReport } from "./report.ts";
import type { LoopResult } from "./run-loop.ts";
import { runLoops } from "./run-loops.ts";
import { runStorm } from "./storm.ts";

describe("a runtime that is killed, and one whose platform breaks in every way we know", () => {
  let loops: readonly LoopResult[];

  beforeAll(async () => {
    loops = await runLoops({ plans: [planLoop(0), planLoop(1), planLoop(2), ...FAULTS], lanes: 4 });
  });

  test("P2: F10 F12 loses no job that was called initiated", () => {
    const { violations, lost, initiated } = makeReport({ loops });
    expect(violations).toEqual([]);
    expect(lost).toBe(0);
    // Two of the faults let nothing be initiated.
    expect(initiated).toBeGreaterThan(8 * (FAULTS.length - 2));
  });

  test("P4: F10 F13 runs no at-most-once job twice, and believes no attempt after a later one began", () => {
    const jobs = loops.flatMap((loop) => loop.jobs);
    expect(jobs.filter(isRunTwice)).toEqual([]);
    expect(jobs.filter(({ once, attempts }) => once && attempts.length === 1).length).toBeGreaterThan(0);
    expect(countLateAttempts(jobs)).toBeGreaterThan(0);
  });
});

test("P3: no quota and no global cap admits too much while objects crash and clocks are set back", async () => {
  const { overQuota, overCap, admitted, denied, cappedCalls, faults } = await runStorm(1);

  expect({ overQuota, overCap }).toEqual({ overQuota: 0, overCap: 0 });
  expect(admitted).toBeGreaterThan(0);
  expect(denied).toBeGreaterThan(0);
  expect(cappedCalls).toBeGreaterThan(0);
  expect([...faults.keys()]).toEqual(["crash-after-write", "crash", "clock", "crash-before-write"]);
});

test("F14 jobs whose alarm is lost run when their tenant is next asked anything", async () => {
  const loops = await runLoops({ plans: [planLoop(2)], lanes: 1, forgets: "alarms" });

  const { violations, initiated } = makeReport({ loops });
  expect(initiated).toBe(8);
  expect(violations).toEqual([]);
});

test("F10 a runtime that forgets its storage is caught losing jobs", async () => {
  const loops = await runLoops({ plans: [planLoop(2)], lanes: 1, forgets: "storage" });

  const { violations, lost } = makeReport({ loops });
  expect(lost).toBe(8);
  expect(violations).toHaveLength(8);
});
