import { expect, test } from "vitest";
import { isRunRepeated } from "./find-run-violations.ts";
import { missClock } from "./miss-clock.ts";
import { HOOK_FAULTS, planHookLoop } from "./plan-hook-loop.ts";
import { makeReport } from "./report.ts";
import { runHookLoops } from "./run-hook-loops.ts";

/* Deliveries of webhooks, and a clock, of a runtime that is killed or breaks. Side by side: they wait for leases. */

test.concurrent("P2: F27 every delivery that was answered 202 has one run, which ends and repeats no write", async () => {
  const plans = [...[0, 1, 3].map(planHookLoop), ...HOOK_FAULTS.slice(0, 4)];
  const hooks = await runHookLoops({ plans, lanes: 4 });

  const { violations } = makeReport({ hooks });
  const runs = hooks.loops.flatMap((loop) => loop.runs);
  expect(violations).toEqual([]);
  expect(runs).toHaveLength(3 * plans.length);
  // Every one was delivered again, and the faults were in time to leave some in doubt.
  expect(runs.filter(({ jobIds }) => jobIds.length < 2)).toEqual([]);
  expect(runs.some(({ record }) => record?.status === "unknown")).toBe(true);
});

test.concurrent("a clock whose times pass while nothing runs makes one run of them", async () => {
  const clock = await missClock();

  expect(clock).toMatchObject({ missed: 3, statuses: ["succeeded"], writes: 1 });
});

test.concurrent("a runtime that forgets which deliveries it has taken is caught running them twice", async () => {
  const hooks = await runHookLoops({ plans: [planHookLoop(0)], lanes: 1, forgets: "run_causes" });

  const runs = hooks.loops.flatMap((loop) => loop.runs);
  expect(runs.filter(isRunRepeated).length).toBeGreaterThan(0);
  expect(makeReport({ hooks }).violations).toContainEqual(expect.stringContaining("told 2 runs"));
});

test.concurrent("a runtime that forgets which writes of a run it has begun is caught repeating them", async () => {
  const hooks = await runHookLoops({ plans: [planHookLoop(1)], lanes: 1, forgets: "run_steps" });

  expect(makeReport({ hooks }).violations).toContainEqual(
    expect.stringContaining("the provider saw 2 attempts"),
  );
});
