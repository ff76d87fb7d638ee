import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { checkClock } from "../../../../src/features/flows/clock/check-clock.ts";
import { nextTime } from "../../../../src/features/flows/clock/next-time.ts";
import { cronSamples } from "./cron-samples.ts";
import { trial } from "../../../support/trial.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const check = (cron: unknown, timezone?: unknown) => checkClock({ cron, timezone }, NOW);
const hints = (cron: unknown, timezone?: unknown): string[] => check(cron, timezone).map(({ hint }) => hint);

describe("checkClock() takes", () => {
  test.each([
    ["0 7 * * 1-5", "Europe/Berlin"],
    ["* * * * *", undefined],
    ["*/15 0-23/2 1,15 JAN-MAR,dec MON-FRI/2", "UTC"],
    ["00 07 01 01 07", "America/Argentina/Buenos_Aires"],
    ["  0\t7 * * fri-sun ", "Asia/Kathmandu"],
    ["0 0 29 2 *", "UTC"],
    ["0 0 30 2 1", "UTC"],
    ["*/60 */24 */31 */12 *", "UTC"],
    ["0 7 * * *", "europe/berlin"],
    ["0 7 * * *", "Etc/GMT+5"],
  ])("%s in %s", (cron, timezone) => {
    expect(check(cron, timezone)).toEqual([]);
  });

  test("whatever has a time, and nextTime() then has it", () => {
    fc.assert(
      fc.property(cronSamples, ({ cron }) => {
        const isTaken = check(cron).length === 0;
        const next = nextTime({ cron, timezone: "UTC" }, NOW);
        const isSoon = next !== null && next < Date.parse("2031-11-21T12:00:00Z");
        expect(isTaken || cron.length > 200).toBe(isSoon || cron.length > 200);
      }),
    );
  });
});

describe("checkClock() refuses", () => {
  test.each([
    ["@daily", 'Write "0 0 * * *".'],
    ["@HOURLY", 'Write "0 * * * *".'],
    ["@reboot", 'It has one field; every weekday at seven is "0 7 * * 1-5".'],
    ["", 'It has one field; every weekday at seven is "0 7 * * 1-5".'],
    ["0 7 * *", 'It has 4 fields; every weekday at seven is "0 7 * * 1-5".'],
    ["0 0 7 * * 1-5", 'There are no seconds and no years; leave them out and write "0 7 * * 1-5".'],
    ["0 0 7 * * 1-5 2027", 'There are no seconds and no years; leave them out and write "0 7 * * 1-5".'],
    ["0 0 ? * 1", 'Write "*" for "?".'],
    [
      "0 0 L * *",
      "The last day of a month cannot be said: write 28, which every month has, or 1 for the day after.",
    ],
    [
      "0 0 L-3 * *",
      "The last day of a month cannot be said: write 28, which every month has, or 1 for the day after.",
    ],
    ["0 0 15W * *", 'The weekday nearest to a day cannot be said: leave out the "W", and it is that day.'],
    ["0 0 LW * *", 'The weekday nearest to a day cannot be said: leave out the "W", and it is that day.'],
    [
      "0 0 * * 5L",
      'Which weekday is a month\'s last cannot be said: leave out the "L", and it is each of them.',
    ],
    [
      "0 0 * * FRIL",
      'Which weekday is a month\'s last cannot be said: leave out the "L", and it is each of them.',
    ],
    [
      "0 0 * * 1#2",
      'Which of a month\'s weekdays it is cannot be said: leave out the "#" and what follows, and it is each of them.',
    ],
    ["0 0 1 * +1", 'Leave out the "+": where both days are given, either is enough.'],
    ["0 24 * * *", "The hour is from 0 to 23."],
    ["60 0 * * *", "The minute is from 0 to 59."],
    ["0 0 0 * *", "The day of the month is from 1 to 31."],
    ["0 0 * 13 *", "The month is from 1 to 12."],
    ["0 0 * * 8", "The day of the week is from 0 to 7."],
    ["0 0 * * Monday", 'Write the name with three letters: "MON".'],
    ["0 0 * June *", 'Write the name with three letters: "JUN".'],
    ["0 0 * * MOO", "Names of the day of the week are SUN, MON, TUE, WED, THU, FRI, SAT."],
    ["MON 0 * * *", 'Write the minute as a number from 0 to 59, or "*" for each.'],
    ["0 22-2 * * *", 'A range goes up: write "22-23,0-2".'],
    ["0 0 * * FRI-MON", 'A range goes up: write "5-6,0-1".'],
    ["0 0 * * 7-2", 'A range goes up: write "0-2".'],
    ["0 0 * * SUN-SUN", 'Write "SUN" for Sundays, and "*" for every day.'],
    ["5/15 * * * *", 'Say where the step ends: "5-59/15".'],
    ["*/0 * * * *", "A step of the minute is from 1 to 60."],
    ["*/90 * * * *", "A step of the minute is from 1 to 60."],
    ["0-30/0 * * * *", "A step of the minute is from 1 to 60."],
    ["5,*/15 * * * *", 'In a list write "0-59/15" for "*/15".'],
    ["5,* * * * *", 'Write "*" alone: it is every minute already.'],
    ["1,,2 * * * *", 'Write the minute as a number from 0 to 59, or "*" for each.'],
    ["-1 * * * *", 'Write the minute as a number from 0 to 59, or "*" for each.'],
    ["1-2-3 * * * *", 'Write the minute as a number from 0 to 59, or "*" for each.'],
    ["1e1 * * * *", 'Write the minute as a number from 0 to 59, or "*" for each.'],
    ["\u0661 * * * *", 'Write the minute as a number from 0 to 59, or "*" for each.'],
    ["99999999999999999999 * * * *", "The minute is from 0 to 59."],
    [7, 'Write them as text, such as "0 7 * * 1-5".'],
    [undefined, 'Write them as text, such as "0 7 * * 1-5".'],
  ])("%j, and says what to write", (cron, hint) => {
    expect(check(cron)).toEqual([{ path: ["cron"], expected: expect.any(String), hint }]);
  });

  test.each([
    ["+02:00", 'An offset does not know when clocks are set; write the zone\'s name, or "UTC".'],
    ["UTC+2", 'An offset does not know when clocks are set; write the zone\'s name, or "UTC".'],
    ["-0500", 'An offset does not know when clocks are set; write the zone\'s name, or "UTC".'],
    ["Europe/Berln", 'There is no such zone; did you mean "Europe/Berlin"?'],
    [" Europe/Berlin", 'There is no such zone; did you mean "Europe/Berlin"?'],
    ["berlin", 'There is no such zone; did you mean "Europe/Berlin"?'],
    ["New York", 'There is no such zone; did you mean "America/New_York"?'],
    ["Mars/Olympus", "There is no such zone."],
    ["", "There is no such zone."],
    ["A".repeat(100_000), "There is no such zone."],
    [null, "Write it as text."],
    [2, "Write it as text."],
  ])("the zone %j, and says what to write", (timezone, hint) => {
    expect(check("0 7 * * *", timezone)).toEqual([
      { path: ["timezone"], expected: expect.any(String), hint },
    ]);
  });

  test.each([
    ["the 30th of February", "0 0 30 2 *", "UTC"],
    ["31sts of short months", "59 23 31 2,4,6,9,11 *", "UTC"],
    ["what is always skipped", "*/30 2 25-31 3 */7", "Europe/Berlin"],
    ["what comes in 28 years", "0 0 29 2 */7", "UTC"],
  ])("%s, because it does not come: %s", (_, cron, timezone) => {
    expect(check(cron, timezone)).toEqual([
      {
        path: ["cron"],
        expected: "a time that comes",
        hint: expect.stringContaining("no time in the next five years"),
      },
    ]);
  });

  test("all that is wrong, each in its field", () => {
    expect(hints("60 24 * * *", "Berlin")).toEqual([
      "The minute is from 0 to 59.",
      "The hour is from 0 to 23.",
      'There is no such zone; did you mean "Europe/Berlin"?',
    ]);
  });

  test("long text without reading it", () => {
    for (const cron of [
      "0-59/1,".repeat(9_000),
      `${"1".repeat(65_000)} * * * *`,
      `${" ".repeat(300)}* * * * *`,
    ])
      expect(hints(cron)).toEqual(["Write ranges and steps instead of lists."]);
  });

  trial("or takes any text, and never throws", () => {
    const pieces = fc.constantFrom(
      "*",
      "/",
      "-",
      ",",
      "0",
      "5",
      "31",
      "99",
      " ",
      " ",
      "MON",
      "sun",
      "JUL",
      "L",
      "W",
      "#",
      "?",
      "+",
      "\n",
      "\u00a0",
      "@",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
        const cron = parts.join("");
        if (check(cron).length === 0) expect(nextTime({ cron, timezone: "UTC" }, NOW)).toBeGreaterThan(NOW);
      }),
      { numRuns: 3_000 },
    );
    let taken = 0;
    const [numbers, words] = [
      ["*", "0", "1", "07", "5-6", "*/7", "1-6/2"],
      ["MON", "sun-mon", "1-sun", "JAN-DEC", "0/1"],
    ];
    const item = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...numbers) },
      { weight: 1, arbitrary: fc.constantFrom(...words) },
    );
    fc.assert(
      fc.property(fc.array(item, { minLength: 5, maxLength: 5 }), (fields) => {
        const cron = fields.join(" ");
        if (check(cron).length > 0) return;
        taken += 1;
        expect(nextTime({ cron, timezone: "UTC" }, NOW)).toBeGreaterThan(NOW);
      }),
      { numRuns: 3_000 },
    );
    expect(taken, "some of it is a clock").toBeGreaterThan(300);
  });
});
