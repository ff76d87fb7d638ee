import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";

import { type Moment, parseWhen } from "../../../src/tools/kit/parse-when.ts";
import { placeOfZone, writeDay, writeInstant } from "../../../src/core/kit/time-zone.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

/** A Sunday, 10:00 in New York. */
const NOW = Date.parse("2026-11-22T15:00:00Z");
const NEW_YORK = placeOfZone("America/New_York")!;

function show(moment: Moment | null): string | null {
  if (moment === null) return null;
  return moment.kind === "day" ? writeDay(moment.day) : writeInstant(moment.at, moment.place);
}

async function read(text: string, now = NOW, place = NEW_YORK): Promise<string | null> {
  const said = await parseWhen(text, { place, now });
  if (said === null) return null;
  return said.end === null ? show(said.start) : `${show(said.start)} to ${show(said.end)}`;
}

describe("parseWhen() reads", () => {
  test.each([
    ["2027-03-05", "2027-03-05"],
    ["2027-03-05T15:00", "2027-03-05T15:00:00-05:00"],
    ["2027-03-05 15:00:30", "2027-03-05T15:00:30-05:00"],
    ["2027-03-05T15:00:00.123Z", "2027-03-05T15:00:00Z"],
    ["2027-03-05T15:00:00+01:00", "2027-03-05T15:00:00+01:00"],
    ["2027-03-05T15:00+0530", "2027-03-05T15:00:00+05:30"],
    ["2027-03-14T02:30", "2027-03-14T03:30:00-04:00"],
    ["2026-11-01T01:30", "2026-11-01T01:30:00-04:00"],
  ])("ISO 8601: %j is %s", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  trial.each([
    ["tomorrow at 3pm", "2026-11-23T15:00:00-05:00"],
    ["Tomorrow, 3 PM", "2026-11-23T15:00:00-05:00"],
    ["tomorrow @ 15:30", "2026-11-23T15:30:00-05:00"],
    ["tomorrow 2pm", "2026-11-23T14:00:00-05:00"],
    ["next friday 14:00", "2026-11-27T14:00:00-05:00"],
    ["friday at noon", "2026-11-27T12:00:00-05:00"],
    ["in 2 hours", "2026-11-22T12:00:00-05:00"],
    ["in half an hour", "2026-11-22T10:30:00-05:00"],
    ["11am", "2026-11-22T11:00:00-05:00"],
    ["9am", "2026-11-23T09:00:00-05:00"],
    ["10:00", "2026-11-23T10:00:00-05:00"],
    ["midnight", "2026-11-23T00:00:00-05:00"],
    ["tomorrow morning", "2026-11-23T09:00:00-05:00"],
    ["tonight", "2026-11-22T21:00:00-05:00"],
    ["tomorrow end of day", "2026-11-23T23:59:00-05:00"],
    ["Dec 25 9am", "2026-12-25T09:00:00-05:00"],
    ["March 5, 2027 at 3pm", "2027-03-05T15:00:00-05:00"],
    ["2027-03-05 at 3pm", "2027-03-05T15:00:00-05:00"],
    ["12/25/2026 3pm", "2026-12-25T15:00:00-05:00"],
    ["tomorrow at 15:00 UTC+2", "2026-11-23T08:00:00-05:00"],
    ["yesterday at 4pm", "2026-11-21T16:00:00-05:00"],
  ])("times in words: %j is %s", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  test.each([
    ["tomorrow", "2026-11-23"],
    ["on March 5", "2027-03-05"],
    ["the 5th of March", "2027-03-05"],
    ["Nov 22", "2026-11-22"],
    ["Nov 21", "2027-11-21"],
    ["all day Friday", "2026-11-27"],
    ["friday, all day", "2026-11-27"],
    ["on monday", "2026-11-23"],
    ["on sunday", "2026-11-29"],
    ["this friday", "2026-11-27"],
    ["in 3 days", "2026-11-25"],
    ["in a week", "2026-11-29"],
    ["Friday, November 27, 2026", "2026-11-27"],
    ["monday next week", "2026-11-23"],
  ])("whole days: %j is %s", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  test.each([
    ["tomorrow 3pm to 5pm", "2026-11-23T15:00:00-05:00 to 2026-11-23T17:00:00-05:00"],
    ["from 3pm to 5pm tomorrow", "2026-11-23T15:00:00-05:00 to 2026-11-23T17:00:00-05:00"],
    ["10pm to 2am tomorrow", "2026-11-23T22:00:00-05:00 to 2026-11-24T02:00:00-05:00"],
    ["March 5 to March 7", "2027-03-05 to 2027-03-07"],
    ["monday to wednesday", "2026-11-23 to 2026-11-25"],
  ])("a beginning and an end: %j is %s", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });
});

describe("parseWhen() takes for no time", () => {
  test.each(
    [
      ["", " ", "lunch", "someday", "3", "1999", "in March", "next week", "next month"],
      [
        "Feb 30",
        "February 30 at 3pm",
        "2027-02-30",
        "2027-02-30T10:00",
        "2027-02-30 at 3pm",
        "31 April",
        "2027-13-01",
      ],
      [
        "2027-13-01 10:00",
        "2027-13-5 10:00",
        "2027-03-05T24:00",
        "2027-03-05T10:60",
        "2027-03-05T10:00+25:00",
      ],
      ["friday at 25:00", "tomorrow at 3:75pm", "tomorrow 13pm", "all day tomorrow at 3pm"],
      [
        "Monday, November 27, 2026",
        "every monday",
        "monday or tuesday",
        "not tomorrow",
        "tomorrow and friday",
      ],
      ["tomorrow at 3pm with John", "tomorrow at 3pm every week", "3pm tomorrow America/New_York"],
      ["5.3.2027", "05.03.2027 10:00", "0001-01-01", "9999-12-31T10:00", "2027-03-05T15:00[Europe/Berlin]"],
    ].flat(),
  )("%j", async (text) => {
    expect(await read(text)).toBeNull();
  });

  test.each([
    ["de", "morgen um 15 Uhr"],
    ["de", "nächsten Freitag 14:00"],
    ["es", "mañana a las 3pm"],
    ["fr", "demain 14:00"],
    ["ja", "明日 15:00"],
    ["ru", "завтра в 15:00"],
    ["ar", "غدا 3pm"],
  ])("another language (%s): %j", async (_, text) => {
    expect(await read(text)).toBeNull();
  });

  test("text that is too long, however it begins", async () => {
    expect(await read(`tomorrow at 3pm${" ".repeat(200)}`)).toBe("2026-11-23T15:00:00-05:00");
    expect(await read(`${"on ".repeat(50)}tomorrow at 3pm`)).toBeNull();
  });
});

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const instants = fc
  .integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
  .map((minute) => minute * 60_000);
const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));

trial("a weekday is the next one in its zone, one to seven days ahead, whenever it is said", async () => {
  await fc.assert(
    fc.asyncProperty(instants, zones, fc.integer({ min: 0, max: 6 }), async (now, zone, weekday) => {
      const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
      const ahead = ((weekday - (today.dayOfWeek % 7) + 6) % 7) + 1;
      expect(await read(`on ${WEEKDAYS[weekday]}`, now, placeOfZone(zone)!)).toBe(
        today.add({ days: ahead }).toString(),
      );
    }),
    { numRuns: samples(300) },
  );
});

test("tomorrow at some time is that time in its zone, as Temporal has it", async () => {
  const times = fc.record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) });
  await fc.assert(
    fc.asyncProperty(instants, zones, times, async (now, zone, { hour, minute }) => {
      const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
      const expected = today.add({ days: 1 }).toPlainDateTime({ hour, minute }).toZonedDateTime(zone);
      const text = `tomorrow at ${hour}:${String(minute).padStart(2, "0")}`;
      expect(Date.parse((await read(text, now, placeOfZone(zone)!))!)).toBe(expected.epochMilliseconds);
    }),
    { numRuns: samples(300) },
  );
});

test("in so many hours is elapsed time, whatever the clocks do meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(instants, zones, fc.integer({ min: 1, max: 72 }), async (now, zone, hours) => {
      const said = await read(`in ${hours} hours`, now, placeOfZone(zone)!);
      expect(Date.parse(said!)).toBe(now + hours * 3_600_000);
    }),
    { numRuns: samples(300) },
  );
});

test("whatever is said, it is a moment or nothing", async () => {
  const words =
    "on at next friday tomorrow march 5 3pm 15:00 to - in 2 hours am the of week noon , . 2027 : utc+2 ago".split(
      " ",
    );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...words), { maxLength: 8 }), async (said) => {
      const text = await read(said.join(" "));
      expect(text === null || !text.includes("NaN")).toBe(true);
    }),
    { numRuns: samples(1_000) },
  );
});
