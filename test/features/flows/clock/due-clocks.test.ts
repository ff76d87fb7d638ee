import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { FlowClock } from "../../../../src/features/added-tools/stored-tools.ts";
import { dueClock, startClock } from "../../../../src/features/flows/clock/due-clocks.ts";
import { nextTime, timesOf } from "../../../../src/features/flows/clock/next-time.ts";
import { samples } from "../../../support/samples.ts";
import { changes, cronSamples } from "./cron-samples.ts";
import { trial } from "../../../support/trial.ts";

const HOUR_MS = 3_600_000;
const at = (text: string): number => Date.parse(text);
const daily = { cron: "0 7 * * *", timezone: "Europe/Berlin" };
const everyMinute = { cron: "* * * * *", timezone: "UTC" };

describe("dueClock()", () => {
  test("runs nothing before its time", () => {
    const clock = startClock(daily, at("2026-11-20T12:00:00Z"));
    expect(clock.nextAt).toBe(at("2026-11-21T06:00:00Z"));
    expect(dueClock(clock, at("2026-11-21T05:59:59.999Z"))).toEqual({ run: null, nextAt: clock.nextAt });
  });

  test("runs at its time, and the next is the day after", () => {
    const clock = startClock(daily, at("2026-11-20T12:00:00Z"));
    expect(dueClock(clock, at("2026-11-21T06:00:00Z"))).toEqual({
      run: at("2026-11-21T06:00:00Z"),
      nextAt: at("2026-11-22T06:00:00Z"),
    });
  });

  test("runs once for a week that was missed, for the last of its days", () => {
    const clock = startClock(daily, at("2026-11-20T12:00:00Z"));
    expect(dueClock(clock, at("2026-11-28T12:00:00Z"))).toEqual({
      run: at("2026-11-28T06:00:00Z"),
      nextAt: at("2026-11-29T06:00:00Z"),
    });
  });

  test("runs once for ten years of minutes", () => {
    const clock = startClock(everyMinute, at("2026-11-20T12:00:00Z"));
    expect(dueClock(clock, at("2036-11-20T12:00:30Z"))).toEqual({
      run: at("2036-11-20T12:00:00Z"),
      nextAt: at("2036-11-20T12:01:00Z"),
    });
  });

  test("runs for the latest time where the times are far from even", () => {
    // Each minute of the first hour of a year, and then none for the rest of it.
    const clock = startClock({ cron: "* 0 1 1 *", timezone: "UTC" }, at("2026-11-20T12:00:00Z"));
    expect(dueClock(clock, at("2029-12-31T00:00:00Z"))).toEqual({
      run: at("2029-01-01T00:59:00Z"),
      nextAt: at("2030-01-01T00:00:00Z"),
    });
  });

  test("runs nothing where there is no time any more", () => {
    const never = startClock({ cron: "0 0 30 2 *", timezone: "UTC" }, at("2026-11-20T12:00:00Z"));
    expect(never.nextAt).toBeNull();
    expect(dueClock(never, at("2036-11-20T12:00:00Z"))).toEqual({ run: null, nextAt: null });
  });

  test("runs a time once where the machine's clock is set back after it", () => {
    const clock = startClock(daily, at("2026-11-20T12:00:00Z"));
    const { nextAt } = dueClock(clock, at("2026-11-21T06:00:00Z"));
    expect(dueClock({ ...daily, nextAt }, at("2026-11-21T05:00:00Z"))).toEqual({ run: null, nextAt });
    expect(dueClock({ ...daily, nextAt }, at("2026-11-21T06:00:00Z"))).toEqual({ run: null, nextAt });
  });

  test("runs the time that was kept where the rules of the zone have changed since", () => {
    const kept: FlowClock = { ...daily, nextAt: at("2026-11-21T05:00:00Z") };
    expect(dueClock(kept, at("2026-11-21T05:00:01Z"))).toEqual({
      run: at("2026-11-21T05:00:00Z"),
      nextAt: at("2026-11-21T06:00:00Z"),
    });
  });

  trial("gives each time once at most, the latest that has passed, whenever it is asked", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 30 * HOUR_MS }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(cronSamples, changes, waits, ({ cron }, { timezone, changeMs }, steps) => {
        const line = { cron, timezone };
        const timeAfter = timesOf(line);
        let now = changeMs - 40 * HOUR_MS;
        let clock = startClock(line, now);
        let latest = now;
        for (const step of steps) {
          now += step;
          const { run, nextAt } = dueClock(clock, now);
          if (run !== null) {
            expect(run).toBeGreaterThan(latest);
            expect(run).toBeLessThanOrEqual(now);
            expect(timeAfter(run - 1)).toBe(run);
            latest = run;
          }
          expect(nextAt).toBe(timeAfter(now));
          expect(nextAt).toBe(timeAfter(latest));
          clock = { ...line, nextAt };
        }
      }),
      { numRuns: samples(300) },
    );
  });
});

test("startClock() keeps nothing of the clock that was there before", () => {
  const now = at("2026-11-20T12:00:00Z");
  const old: FlowClock = { ...everyMinute, nextAt: at("2026-11-20T11:00:00Z") };
  expect(startClock({ ...old, cron: "0 * * * *" }, now)).toEqual({
    cron: "0 * * * *",
    timezone: "UTC",
    nextAt: nextTime({ cron: "0 * * * *", timezone: "UTC" }, now),
  });
  expect(startClock(old, now).nextAt).toBe(at("2026-11-20T12:01:00Z"));
});
