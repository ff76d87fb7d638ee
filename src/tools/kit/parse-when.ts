import type { ParsedResult } from "chrono-node/en";

import {
  DAY_MS,
  dayOf,
  HOUR_MS,
  instantOf,
  MINUTE_MS,
  type Place,
  placeOfOffset,
  toDay,
  type WallTime,
  wallTimeAt,
} from "../../core/kit/time-zone.ts";

/** A whole day, or an instant and whose clock it was said by. */
export type Moment =
  | { readonly kind: "day"; readonly day: WallTime }
  | { readonly kind: "time"; readonly at: number; readonly place: Place };

/** The time that a text says: one moment, or a beginning and an end. */
export interface Said {
  readonly start: Moment;
  readonly end: Moment | null;
}

/** The moment that words are measured from. */
export interface Reading {
  /** Whose clock times without an offset are of. */
  readonly place: Place;
  /** The present, in milliseconds since the epoch: what `tomorrow` and `in 2 hours` count from. */
  readonly now: number;
  /** The beginning of which this is the end: weekdays, days without a year and times without a day come on its day or after. */
  readonly after?: Moment;
}

/**
 * Longer text, or text of more words and numbers, is no time: "Friday, November 27, 2026 at 10:00 AM to Friday, November 27,
 * 2026 at 11:30 AM" is. The parser of words takes more than linear time in some of it, and a batch may hold thousands.
 */
export const WHEN_CHARACTERS = 80;
const WHEN_WORDS = 18;

/** The form that `parseWhen` takes, in the words of a refusal. */
export const WHEN_EXPECTED =
  'a day or time that exists, as ISO 8601 such as "2027-03-05T15:00" or in English such as "tomorrow at 3pm" and nothing else';

const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})/;
const ISO_TIME =
  /^\d{4}-\d{2}-\d{2}(?:t| )([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)? ?(z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/**
 * Read a day or a time, in ISO 8601 or in English words; null for anything else, and for anything of which only a part is
 * understood, because the other part might have changed its meaning.
 *
 * - Without a time of day it is the whole day; `morning` is 9:00, `afternoon` 15:00, `evening` 19:00, `night` 21:00.
 * - A weekday is the next one, never today; a day without a year, and a time without a day, are the next to come.
 * - A time that clocks skip is as much later; of one that comes twice the first is meant.
 * - A time with an offset is of that offset's clock, any other of `place`'s.
 */
export async function parseWhen(text: string, reading: Reading): Promise<Said | null> {
  const said = text.toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (said.length > WHEN_CHARACTERS || (said.match(/\d+|[^\W\d]+/g) ?? []).length > WHEN_WORDS) return null;
  if (/^\d{4}-\d{2}-\d{2}(?:$|[t ]\d{2}:)/.test(said)) return readIso(said, reading.place);
  return readWords(said, reading);
}

function readIso(text: string, place: Place): Said | null {
  const [, ...numbers] = ISO_DAY.exec(text) ?? [];
  const [year, month, date] = numbers.map(Number);
  const day = toDay(year!, month!, date!);
  if (day === null) return null;
  if (text.length === 10) return { start: { kind: "day", day }, end: null };
  const [whole, hours, minutes, seconds = "0", offset] = ISO_TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  const wall = day + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
  const own = offset === undefined ? place : placeOfOffset(readOffset(offset));
  return { start: { kind: "time", at: instantOf(wall, own), place: own }, end: null };
}

function readOffset(text: string): number {
  if (text === "z") return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return text.startsWith("-") ? -minutes : minutes;
}

/** Words that may stand around a time and say nothing more about it. */
const FILLERS = /\b(?:on|at|the|from|starting|coming|upcoming|this)\b|[\s,.;]/g;
const WHOLE_DAY = /\ball[- ]day\b|\b(?:the )?whole day\b/;
/** The parser takes `2027-13-01` for the 13th of January, and numbers with dots for an American's. */
const FOREIGN_DATE = /\b\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\b\d{4}-\d{1,2}-\d{1,2}(?!\d)/;
const SPAN = /\b(?:next|this|last|past) (?:week|month|quarter|year)\b/;

async function readWords(text: string, reading: Reading): Promise<Said | null> {
  const isWholeDay = WHOLE_DAY.test(text);
  const words = text
    .replace(WHOLE_DAY, " ")
    .replace(/\b(?:the )?end of (?:the )?day\b|\beod\b/, "23:59")
    .replace(/\b(?:start|beginning) of (?:the )?day\b/, "0:00")
    .replaceAll("@", " at ")
    .replaceAll(/ +/g, " ")
    .trim();
  const [date] = FOREIGN_DATE.exec(words) ?? [];
  if (date !== undefined && (!ISO_DAY.test(date) || readIso(date, reading.place) === null)) return null;
  const { parse } = await import("chrono-node/en");
  const { now, place } = reading;
  const results = parse(words, { instant: new Date(now), timezone: place.offsetAt(now) });
  const [result] = results;
  if (result === undefined || results.length > 1) return null;
  const around = words.slice(0, result.index) + words.slice(result.index + result.text.length);
  if (around.replaceAll(FILLERS, "") !== "") return null;
  if (isWholeDay && (result.start.isCertain("hour") || result.end?.isCertain("hour") === true)) return null;
  return resolve(result, reading);
}

function resolve({ text, start, end }: ParsedResult, reading: Reading): Said | null {
  const first = toMoment(start, text, reading);
  if (first === null) return null;
  if (end === null || end === undefined) return { start: first, end: null };
  const last = toMoment(end, text, { ...reading, after: first });
  return last === null ? null : { start: first, end: last };
}

/** Hours that the parts of a day begin at, where the text names none. */
const PARTS: readonly [RegExp, number][] = [
  [/\bmorning\b/, 9],
  [/\bafternoon\b/, 15],
  [/\bevening\b/, 19],
  [/\b(?:to)?night\b/, 21],
];

function toMoment(parts: ParsedResult["start"], text: string, reading: Reading): Moment | null {
  const hour = parts.isCertain("hour") ? parts.get("hour") : PARTS.find(([part]) => part.test(text))?.[1];
  const day = toWallDay(parts, text, hour !== undefined, reading);
  if (day === null) return null;
  if (hour === undefined || hour === null) return { kind: "day", day };
  const minutes = parts.isCertain("minute") ? (parts.get("minute") ?? 0) : 0;
  const seconds = parts.isCertain("second") ? (parts.get("second") ?? 0) : 0;
  const wall = day + hour * HOUR_MS + minutes * MINUTE_MS + seconds * 1_000;
  const { place, now, after } = reading;
  const offset = parts.isCertain("timezoneOffset") ? parts.get("timezoneOffset") : null;
  const clock = offset === null ? place : placeOfOffset(offset);
  const at = (time: WallTime): Moment => ({ kind: "time", at: instantOf(time, clock), place });
  if (parts.isCertain("day") || parts.isCertain("weekday") || !parts.isCertain("hour")) return at(wall);
  // A time alone.
  if (after === undefined) return instantOf(wall, clock) > now ? at(wall) : at(wall + DAY_MS);
  const isPastMidnight = after.kind === "time" && wall < wallTimeAt(after.at, place) && hour < 12;
  const beganLate =
    after.kind === "time" && wallTimeAt(after.at, place) - dayOf(wallTimeAt(after.at, place)) >= 12 * HOUR_MS;
  return at(isPastMidnight && beganLate ? wall + DAY_MS : wall);
}

/** The day that the words name, or null when they name none. */
function toWallDay(
  parts: ParsedResult["start"],
  text: string,
  hasTime: boolean,
  { place, now, after }: Reading,
): WallTime | null {
  const today = dayOf(wallTimeAt(now, place));
  const first =
    after === undefined ? today : dayOf(after.kind === "day" ? after.day : wallTimeAt(after.at, place));
  const implied = toDay(parts.get("year") ?? 0, parts.get("month") ?? 0, parts.get("day") ?? 0);
  const weekday = parts.isCertain("weekday") ? parts.get("weekday") : null;
  if (parts.isCertain("day")) {
    if (SPAN.test(text)) return null;
    const day = parts.isCertain("year")
      ? implied
      : nextSuchDay(parts.get("month")!, parts.get("day")!, first);
    const isThatWeekday = day !== null && (weekday === null || new Date(day).getUTCDay() === weekday);
    return isThatWeekday ? day : null;
  }
  if (weekday !== null) {
    // Which week is meant was said.
    if (/\b(?:this|next|last|past)\b/.test(text)) return implied;
    const from = after === undefined ? first + DAY_MS : first;
    return from + ((weekday - new Date(from).getUTCDay() + 7) % 7) * DAY_MS;
  }
  // A month alone is no day.
  return hasTime && !parts.isCertain("month") ? first : null;
}

/** The first day of that date that is not before another one. */
function nextSuchDay(month: number, date: number, first: WallTime): WallTime | null {
  const year = new Date(first).getUTCFullYear();
  const day = toDay(year, month, date);
  return day !== null && day >= first ? day : toDay(year + 1, month, date);
}
