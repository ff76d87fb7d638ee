import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";

import type { Fields } from "./wall-walk.ts";

/** A line of a crontab, and what an independent reader of it takes for its fields. */
export interface CronSample {
  readonly cron: string;
  readonly fields: Fields;
}

/** A zone, and when its clocks are set there. */
export interface Change {
  readonly timezone: string;
  readonly changeMs: number;
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** One field: its text, and the numbers that it stands for. */
interface Field {
  readonly text: string;
  readonly values: readonly number[] | "*";
}

interface Bounds {
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const numbersFrom = (first: number, last: number, step = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);

function item({ first, last, names }: Bounds): fc.Arbitrary<{ text: string; values: number[] }> {
  const name = (value: number, isNamed: boolean): string =>
    isNamed && names !== undefined ? names[value - first]! : String(value);
  const value = fc.integer({ min: first, max: last });
  const single = fc.tuple(value, fc.boolean()).map(([one, isNamed]) => ({
    text: name(one, isNamed),
    values: [one],
  }));
  const range = fc
    .tuple(value, value, fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }), fc.boolean())
    .map(([one, other, step, isNamed]) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      // `SUN-SUN` is refused: it could be one day or all of them.
      const isRead = isNamed && low < high;
      return {
        text: `${name(low, isRead)}-${name(high, isRead)}${step === undefined ? "" : `/${step}`}`,
        values: numbersFrom(low, high, step),
      };
    });
  return fc.oneof(single, range);
}

/** Lists, ranges, steps and names; `*` where `weight` says so. */
function field(bounds: Bounds, stars: number): fc.Arbitrary<Field> {
  const list = fc.array(item(bounds), { minLength: 1, maxLength: 3 }).map((items): Field => ({
    text: items.map(({ text }) => text).join(","),
    values: [...new Set(items.flatMap(({ values }) => values))],
  }));
  return fc.oneof(
    { weight: 2, arbitrary: list },
    { weight: stars, arbitrary: fc.constant<Field>({ text: "*", values: "*" }) },
  );
}

/** Lines that have times within some days: months and days are mostly left open. */
export const cronSamples: fc.Arbitrary<CronSample> = fc
  .tuple(
    field({ first: 0, last: 59 }, 1),
    field({ first: 0, last: 23 }, 1),
    field({ first: 1, last: 31 }, 6),
    field({ first: 1, last: 12, names: MONTHS }, 12),
    field({ first: 0, last: 6, names: DAYS }, 6),
  )
  .map(([minute, hour, day, month, weekday]) => ({
    cron: [minute, hour, day, month, weekday].map(({ text }) => text).join(" "),
    fields: {
      minute: minute.values,
      hour: hour.values,
      day: day.values,
      month: month.values,
      weekday: weekday.values,
    },
  }));

const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Nuuk",
  "America/Santiago",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Asia/Beirut",
  "Pacific/Chatham",
  "America/Havana",
  "America/St_Johns",
  "Atlantic/Azores",
  "Antarctica/Troll",
  ...Intl.supportedValuesOf("timeZone"),
];

/** Changes of clocks in any zone, of the past and to come. */
export const changes: fc.Arbitrary<Change> = fc
  .tuple(fc.nat(ZONES.length * 2), fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2035, 0) }))
  .map(([index, fromMs]) => {
    const timezone = ZONES[index] ?? ZONES[index % 13]!;
    const from = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(timezone);
    const change = from.getTimeZoneTransition("next") ?? from;
    return { timezone, changeMs: Math.floor(change.epochMilliseconds / 60_000) * 60_000 };
  });
