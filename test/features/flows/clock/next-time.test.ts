import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { nextTime, timesOf } from "../../../../src/features/flows/clock/next-time.ts";
import { samples } from "../../../support/samples.ts";
import { changes, cronSamples } from "./cron-samples.ts";
import { walk } from "./wall-walk.ts";
import { trial } from "../../../support/trial.ts";

const HOUR_MS = 3_600_000;

/** The times of a line after one instant, as UTC to the minute. */
function timesFrom(line: readonly [cron: string, timezone: string], from: string, count: number): string[] {
  const [cron, timezone] = line;
  const timeAfter = timesOf({ cron, timezone });
  const times: string[] = [];
  let at: number | null = Date.parse(from);
  while (times.length < count) {
    at = timeAfter(at);
    if (at === null) break;
    times.push(`${new Date(at).toISOString().slice(0, 16)}Z`);
  }
  return times;
}

describe("nextTime() in a zone whose clocks are set", () => {
  test.each([
    [
      "an ordinary day",
      "0 7 * * 1-5",
      "Europe/Berlin",
      "2026-11-20T06:00Z",
      ["2026-11-23T06:00Z", "2026-11-24T06:00Z"],
    ],
    [
      "a daily time keeps its hour",
      "0 7 * * *",
      "Europe/Berlin",
      "2027-03-27T05:00Z",
      ["2027-03-27T06:00Z", "2027-03-28T05:00Z"],
    ],
    [
      "a skipped time is right after the gap",
      "30 2 * * *",
      "Europe/Berlin",
      "2027-03-27T12:00Z",
      ["2027-03-28T01:00Z", "2027-03-29T00:30Z"],
    ],
    [
      "two skipped times are one",
      "0,30 2 * * *",
      "Europe/Berlin",
      "2027-03-27T12:00Z",
      ["2027-03-28T01:00Z", "2027-03-29T00:00Z"],
    ],
    [
      "a skipped time and one after the gap are one",
      "0 2,3 * * *",
      "Europe/Berlin",
      "2027-03-27T12:00Z",
      ["2027-03-28T01:00Z", "2027-03-29T00:00Z"],
    ],
    [
      "a range of hours has no wildcard",
      "30 0-23/2 * * *",
      "Europe/Berlin",
      "2027-03-28T00:00Z",
      ["2027-03-28T01:00Z", "2027-03-28T02:30Z"],
    ],
    [
      "a skipped hour of every half hour is left out",
      "*/30 * * * *",
      "Europe/Berlin",
      "2027-03-28T00:10Z",
      ["2027-03-28T00:30Z", "2027-03-28T01:00Z", "2027-03-28T01:30Z"],
    ],
    [
      "a wildcard within the skipped hour is left out",
      "*/30 2 * * *",
      "Europe/Berlin",
      "2027-03-27T12:00Z",
      ["2027-03-29T00:00Z"],
    ],
    [
      "a time that comes twice is the first of them",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "a list of them likewise",
      "0,30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      ["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-26T01:00Z"],
    ],
    [
      "every half hour goes on through an hour that comes twice",
      "*/30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      [
        "2026-10-25T00:00Z",
        "2026-10-25T00:30Z",
        "2026-10-25T01:00Z",
        "2026-10-25T01:30Z",
        "2026-10-26T01:00Z",
      ],
    ],
    [
      "every hour stays every hour",
      "5 * * * *",
      "America/New_York",
      "2026-11-01T04:30Z",
      ["2026-11-01T05:05Z", "2026-11-01T06:05Z", "2026-11-01T07:05Z"],
    ],
    [
      "a skipped time in New York",
      "15 2 * * *",
      "America/New_York",
      "2027-03-13T12:00Z",
      ["2027-03-14T07:00Z", "2027-03-15T06:15Z"],
    ],
    [
      "a time that comes twice in New York",
      "30 1 * * *",
      "America/New_York",
      "2026-10-31T12:00Z",
      ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    ],
    [
      "half an hour is skipped",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00Z",
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
    [
      "what is not in that half hour is where it was",
      "45 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00Z",
      ["2026-10-03T15:45Z"],
    ],
    [
      "half an hour comes twice",
      "*/15 1 * * *",
      "Australia/Lord_Howe",
      "2027-04-03T13:59Z",
      [
        "2027-04-03T14:00Z",
        "2027-04-03T14:15Z",
        "2027-04-03T14:30Z",
        "2027-04-03T14:45Z",
        "2027-04-03T15:00Z",
        "2027-04-03T15:15Z",
        "2027-04-04T14:30Z",
      ],
    ],
    [
      "midnight is skipped",
      "0 0 * * *",
      "America/Sao_Paulo",
      "2018-11-03T12:00Z",
      ["2018-11-04T03:00Z", "2018-11-05T02:00Z"],
    ],
    [
      "every Sunday, where its midnight is skipped",
      "30 0 * * SUN",
      "America/Sao_Paulo",
      "2018-11-03T12:00Z",
      ["2018-11-04T03:00Z", "2018-11-11T02:30Z"],
    ],
    [
      "the last hour of a day is skipped",
      "30 23 * * *",
      "America/Nuuk",
      "2027-03-27T12:00Z",
      ["2027-03-28T01:00Z", "2027-03-29T00:30Z"],
    ],
    [
      "clocks are set to a new zone before midnight",
      "45 23 * * *",
      "Asia/Pyongyang",
      "2018-05-04T12:00Z",
      ["2018-05-04T15:00Z", "2018-05-05T14:45Z"],
    ],
    [
      "a zone of three quarters of an hour",
      "0 0 * * *",
      "Asia/Kathmandu",
      "2026-11-22T00:00Z",
      ["2026-11-22T18:15Z", "2026-11-23T18:15Z"],
    ],
    [
      "a whole day is skipped",
      "0 12 * * *",
      "Pacific/Apia",
      "2011-12-28T23:00Z",
      ["2011-12-29T22:00Z", "2011-12-30T22:00Z"],
    ],
    ["its date alone", "0 12 30 12 *", "Pacific/Apia", "2011-12-01T00:00Z", ["2012-12-29T22:00Z"]],
    [
      "the zone's name in small letters",
      "0 7 * * *",
      "europe/berlin",
      "2026-11-20T12:00Z",
      ["2026-11-21T06:00Z"],
    ],
  ])("%s: %s in %s", (_, cron, timezone, from, expected) => {
    expect(timesFrom([cron, timezone], from, expected.length)).toEqual(expected);
  });
});

describe("nextTime()", () => {
  test.each([
    [
      "either the day or the weekday is enough",
      "0 0 13 * 5",
      "2026-11-02T00:00Z",
      ["2026-11-06T00:00Z", "2026-11-13T00:00Z", "2026-11-20T00:00Z"],
    ],
    [
      "a day with a step narrows down the weekday",
      "0 0 */2 * 1",
      "2026-11-01T00:00Z",
      ["2026-11-09T00:00Z", "2026-11-23T00:00Z"],
    ],
    [
      "a weekday with a step narrows down the day",
      "0 0 1-7 * */7",
      "2026-11-01T00:00Z",
      ["2026-12-06T00:00Z", "2027-01-03T00:00Z"],
    ],
    ["7 is Sunday", "0 0 * * 7", "2026-11-20T00:00Z", ["2026-11-22T00:00Z"]],
    [
      "Friday to Sunday",
      "0 0 * * FRI-SUN",
      "2026-11-19T00:00Z",
      ["2026-11-20T00:00Z", "2026-11-21T00:00Z", "2026-11-22T00:00Z", "2026-11-27T00:00Z"],
    ],
    [
      "Monday to Sunday",
      "0 0 * * MON-SUN",
      "2026-11-15T00:00Z",
      [16, 17, 18, 19, 20, 21, 22, 23].map((day) => `2026-11-${day}T00:00Z`),
    ],
    ["the 29th of February", "0 0 29 2 *", "2026-11-20T00:00Z", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
    ["that on a Sunday", "0 0 29 2 */7", "2033-01-01T00:00Z", ["2060-02-29T00:00Z"]],
    ["a year that 400 does not divide", "0 0 29 2 *", "2096-03-01T00:00Z", ["2104-02-29T00:00Z"]],
    ["the 30th of February", "0 0 30 2 *", "2026-11-20T00:00Z", []],
    ["the 31st of short months", "0 0 31 2,4,6,9,11 *", "2026-11-20T00:00Z", []],
  ])("%s: %s", (_, cron, from, expected) => {
    expect(timesFrom([cron, "UTC"], from, Math.max(1, expected.length))).toEqual(expected);
  });

  test("finds none where each of its times is skipped", () => {
    expect(timesFrom(["*/30 2 25-31 3 */7", "Europe/Berlin"], "2026-11-20T00:00Z", 1)).toEqual([]);
  });

  test("is strictly later, whatever part of a minute it is asked in", () => {
    const clock = { cron: "0 7 * * *", timezone: "UTC" };
    const seven = Date.parse("2026-11-20T07:00:00Z");
    expect(nextTime(clock, seven - 1)).toBe(seven);
    expect(nextTime(clock, seven)).toBe(seven + 24 * HOUR_MS);
    expect(nextTime(clock, seven + 1)).toBe(seven + 24 * HOUR_MS);
    expect(nextTime(clock, seven - 59_999)).toBe(seven);
  });

  trial("agrees with a walk through the minutes around any change of clocks", () => {
    fc.assert(
      fc.property(
        cronSamples,
        changes,
        fc.integer({ min: 1, max: 6 * HOUR_MS }),
        (sample, change, before) => {
          const [from, to] = [change.changeMs - before, change.changeMs + 8 * HOUR_MS];
          const timeAfter = timesOf({ cron: sample.cron, timezone: change.timezone });
          const times: number[] = [];
          for (let at = timeAfter(from); at !== null && at <= to; at = timeAfter(at)) times.push(at);
          expect(times).toEqual(walk(sample.fields, change.timezone, [from, to]));
        },
      ),
      { numRuns: samples(300) },
    );
  });

  trial("gives the same next time from anywhere before it, and never an earlier one from later", () => {
    const offset = fc.integer({ min: -30 * HOUR_MS, max: 30 * HOUR_MS });
    fc.assert(
      fc.property(cronSamples, changes, offset, offset, ({ cron }, { timezone, changeMs }, one, other) => {
        const [early, late] = [changeMs + Math.min(one, other), changeMs + Math.max(one, other)];
        const timeAfter = timesOf({ cron, timezone });
        const next = timeAfter(early) ?? Infinity;
        expect(next).toBeGreaterThan(early);
        const later = timeAfter(late) ?? Infinity;
        if (next > late) expect(later).toBe(next);
        else expect(later).toBeGreaterThan(next);
      }),
      { numRuns: samples(1_000) },
    );
  });
});
