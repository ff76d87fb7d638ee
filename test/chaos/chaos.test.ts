import { expect, test } from "vitest";
import { planLoop } from "./plan-loop.ts";
import { makeReport } from "./report.ts";
import { runLoops } from "./run-loops.ts";

test("P2: no job that was called initiated is lost, nor any at-most-once job run twice, when the runtime is killed", async () => {
  const plans = [planLoop(0), planLoop(1), planLoop(2)];

  const { violations, lost, initiated } = makeReport(await runLoops({ plans, lanes: 3 }), 0);

  expect(violations).toEqual([]);
  expect(lost).toBe(0);
  expect(initiated).toBeGreaterThan(plans.length);
});

test("jobs whose alarm is lost run when their tenant is next asked anything", async () => {
  const plans = [planLoop(2)];

  const { violations, initiated } = makeReport(await runLoops({ plans, lanes: 1, forgets: "alarms" }), 0);

  expect(initiated).toBe(8);
  expect(violations).toEqual([]);
});

test("a runtime that forgets its storage is caught losing jobs", async () => {
  const plans = [planLoop(2)];

  const { violations, lost } = makeReport(await runLoops({ plans, lanes: 1, forgets: "storage" }), 0);

  expect(lost).toBe(8);
  expect(violations).toHaveLength(8);
});
