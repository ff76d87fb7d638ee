import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";

import {
  DAY_MS,
  dayOf,
  instantOf,
  placeOfOffset,
  placeOfZone,
  toDay,
  wallTimeAt,
  writeDay,
  writeInstant,
} from "../../../src/core/kit/time-zone.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

const ZONES = [...Intl.supportedValuesOf("timeZone"), "UTC"];
const [FIRST, LAST] = [Date.UTC(1973, 0, 3), Date.UTC(2199, 11, 29)];

function placeIn(zone: string) {
  const place = placeOfZone(zone);
  if (place === null) throw new Error(`Cannot find zone '${zone}'`);
  return place;
}

/** The instant by an independent implementation. */
function temporalInstant(wall: number, zone: string): number {
  const shown = Temporal.PlainDateTime.from(new Date(wall).toISOString().slice(0, 23));
  return shown.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds;
}

const minutes = (from: number, to: number): fc.Arbitrary<number> =>
  fc.integer({ min: from / 60_000, max: to / 60_000 }).map((minute) => minute * 60_000);

describe("instantOf()", () => {
  test("agrees with Temporal about any minute in any zone", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), minutes(FIRST, LAST), (zone, wall) => {
        expect(instantOf(wall, placeIn(zone))).toBe(temporalInstant(wall, zone));
      }),
      { numRuns: samples(1_000) },
    );
  });

  trial("agrees with it around every change of clocks, where times are skipped and come twice", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        minutes(FIRST, LAST),
        fc.integer({ min: -180, max: 180 }),
        (zone, from, around) => {
          const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
          const change = start.getTimeZoneTransition("next");
          fc.pre(change !== null && change.epochMilliseconds < LAST);
          const wall = wallTimeAt(change.epochMilliseconds, placeIn(zone)) + around * 60_000;
          expect(instantOf(wall, placeIn(zone))).toBe(temporalInstant(wall, zone));
        },
      ),
      { numRuns: samples(400) },
    );
  });

  test.each([
    ["America/New_York", "2027-03-14T02:30:00Z", "2027-03-14T03:30:00-04:00"],
    ["America/New_York", "2026-11-01T01:30:00Z", "2026-11-01T01:30:00-04:00"],
    ["Australia/Lord_Howe", "2026-10-04T02:15:00Z", "2026-10-04T02:45:00+11:00"],
    ["Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-31T12:00:00+14:00"],
    ["Asia/Kathmandu", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00+05:45"],
  ])("in %s reads %s as %s", (zone, wall, instant) => {
    expect(writeInstant(instantOf(Date.parse(wall), placeIn(zone)), placeIn(zone))).toBe(instant);
  });
});

test("writeInstant() writes what reads as the same instant", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: FIRST / 1_000, max: LAST / 1_000 }),
      (zone, seconds) => {
        const text = writeInstant(seconds * 1_000, placeIn(zone));
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/);
        expect(Date.parse(text)).toBe(seconds * 1_000);
      },
    ),
  );
});

test("writeInstant() writes UTC as Z, and an offset as it is", () => {
  expect(writeInstant(0, placeOfZone("UTC")!)).toBe("1970-01-01T00:00:00Z");
  expect(writeInstant(0, placeOfOffset(-210))).toBe("1969-12-31T20:30:00-03:30");
});

test.each(["America/New_York", "america/new_york", "UTC", "Etc/GMT+5", "Asia/Kolkata"])(
  "placeOfZone() knows %s",
  (name) => {
    expect(placeOfZone(name)).not.toBeNull();
  },
);

test.each([
  "Mars/Olympus",
  "+02:00",
  "-05",
  "",
  " ",
  "America/New York",
  "GMT+2",
  "__proto__",
  "a".repeat(64),
])("placeOfZone() knows no %s", (name) => {
  expect(placeOfZone(name)).toBeNull();
});

test("placeOfZone() goes on after more zones than it keeps", () => {
  for (const zone of ZONES.slice(0, 200)) expect(placeOfZone(zone)).not.toBeNull();
});

test("toDay() takes days that exist, in years of a calendar", () => {
  expect(writeDay(toDay(2028, 2, 29)!)).toBe("2028-02-29");
  for (const [year, month, day] of [
    [2027, 2, 29],
    [2027, 2, 30],
    [2027, 13, 1],
    [2027, 0, 1],
    [2027, 4, 31],
    [2027, 4, 0],
    [1972, 1, 1],
    [2200, 1, 1],
    [0, 1, 1],
  ] as const)
    expect(toDay(year, month, day)).toBeNull();
  expect(toDay(2027, 3, 6)! - toDay(2027, 3, 5)!).toBe(DAY_MS);
});

test("dayOf() is the midnight before a time, also before 1970", () => {
  expect(dayOf(Date.UTC(2027, 2, 5, 23, 59, 59, 999))).toBe(Date.UTC(2027, 2, 5));
  expect(dayOf(Date.UTC(2027, 2, 5))).toBe(Date.UTC(2027, 2, 5));
  expect(dayOf(Date.UTC(1969, 11, 31, 1))).toBe(Date.UTC(1969, 11, 31));
});

test("toDay() knows the days that a month has, in the years that a calendar has", () => {
  expect(toDay(2028, 2, 29)).toBe(Date.UTC(2028, 1, 29));
  for (const [year, month, day] of [
    [2027, 2, 29],
    [2027, 4, 31],
    [2027, 13, 1],
    [2027, 0, 1],
    [2027, 1, 0],
  ] as const)
    expect([year, month, day, toDay(year, month, day)]).toEqual([year, month, day, null]);
  expect([1972, 1973, 2199, 2200].map((year) => toDay(year, 1, 1) !== null)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
