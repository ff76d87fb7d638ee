import { Cron } from "croner";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { calendarOf } from "../../../../src/features/flows/clock/cron.ts";
import { cronSamples } from "./cron-samples.ts";
import { trial } from "../../../support/trial.ts";

const DAY_MS = 86_400_000;

/** The first time of a line, as text; `years` is how far is looked. */
function first(cron: string, after: string, years = 10): string | null {
  const at = Date.parse(after);
  const found = calendarOf(cron)(at, at + years * 366 * DAY_MS);
  return found === null ? null : new Date(found).toISOString().slice(0, 16);
}

describe("calendarOf()", () => {
  test.each([
    ["the same minute is not later", "30 7 * * *", "2026-11-20T07:30:00Z", "2026-11-21T07:30"],
    ["a second before it is", "30 7 * * *", "2026-11-20T07:29:59.999Z", "2026-11-20T07:30"],
    ["the end of a year", "0 0 1 * *", "2026-12-01T00:00:00Z", "2027-01-01T00:00"],
    ["a leap day", "0 0 29 2 *", "2026-11-20T00:00:00Z", "2028-02-29T00:00"],
    ["2100 has none", "0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00"],
    ["either of two days is enough", "0 0 13 * 5", "2026-11-10T00:00:00Z", "2026-11-13T00:00"],
    ["and the other too", "0 0 13 * 5", "2026-11-13T00:00:00Z", "2026-11-20T00:00"],
    ["a step of days narrows the weekday down", "0 0 */2 * 5", "2026-11-20T00:00:00Z", "2026-11-27T00:00"],
    ["a week that ends with Sunday", "0 0 * * FRI-SUN", "2026-11-21T00:00:00Z", "2026-11-22T00:00"],
    ["seven is Sunday", "0 0 * * 7", "2026-11-20T00:00:00Z", "2026-11-22T00:00"],
    ["a step within a range", "10-50/20 4 * * *", "2026-11-20T04:10:00Z", "2026-11-20T04:30"],
    ["no such day", "0 0 31 4,6 *", "2026-11-20T00:00:00Z", null],
  ])("%s", (_, cron, after, expected) => {
    expect(first(cron, after)).toBe(expected);
  });

  test("looks no further than it is told to", () => {
    expect(first("0 0 29 2 *", "2026-11-20T00:00:00Z", 1)).toBeNull();
  });

  trial("agrees with a library that reads crontabs, where no clocks are set", () => {
    const after = fc.date({ min: new Date("2020-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(cronSamples, after, ({ cron }, date) => {
        const [, , day = "", , weekday = ""] = cron.split(" ");
        const domAndDow = day.startsWith("*") || weekday.startsWith("*");
        const library = new Cron(cron, { mode: "5-part", utcOffset: 0, paused: true, domAndDow });
        const next = calendarOf(cron);
        const until = date.getTime() + 30 * 366 * DAY_MS;
        let [at, expected]: [number | null, Date | null] = [date.getTime(), date];
        for (let count = 0; count < 5 && at !== null; count += 1) {
          [at, expected] = [next(at, until), library.nextRun(expected)];
          if (expected !== null && expected.getTime() > until) return;
          expect(at).toBe(expected?.getTime() ?? null);
        }
      }),
      { numRuns: 300 },
    );
  });
});
