import { err, ok, type Result } from "../../core/kit/result.ts";
import { DURATION_EXPECTED, parseDuration } from "../kit/parse-duration.ts";
import { type Moment, parseWhen, type Reading, type Said, WHEN_EXPECTED } from "../kit/parse-when.ts";
import {
  DAY_MS,
  HOUR_MS,
  type Place,
  type WallTime,
  writeDay,
  writeInstant,
} from "../../core/kit/time-zone.ts";

/** When an event is: whole days, the last one included, or from one instant to another. */
export type EventTimes =
  | { readonly kind: "days"; readonly first: WallTime; readonly last: WallTime }
  | { readonly kind: "times"; readonly start: number; readonly end: number; readonly place: Place };

/** How a caller says when an event is. */
export interface SaidTimes {
  /** May be left out of what is said of an event that has a start. */
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
  readonly duration?: string | undefined;
}

/** Which argument cannot be meant, and what was expected of it. */
interface TimeMisfit {
  readonly argument: keyof SaidTimes;
  readonly expected: string;
}

/**
 * Work out when an event is from what a caller says of it: a start, and perhaps an end or a length. A length is elapsed time,
 * also over a change of clocks. Where neither is said an event takes as long as it did, or else an hour or its whole day.
 *
 * @param current when the event has been so far; null for a new one, which needs a start
 */
export async function toEventTimes(
  said: SaidTimes,
  reading: Reading,
  current: EventTimes | null = null,
): Promise<Result<EventTimes, TimeMisfit>> {
  const start = said.start_time === undefined ? startOf(current) : await parseWhen(said.start_time, reading);
  if (start === null) return misfit("start_time", WHEN_EXPECTED);
  const end = await readEnd(said, start, reading);
  if (!end.ok) return end;
  const length = readLength(said, start.start);
  if (!length.ok) return length;
  const times =
    start.start.kind === "day"
      ? toDays(start.start.day, end.value, length.value ?? usualLength("days", current))
      : toTimes(start.start, end.value, length.value ?? usualLength("times", current));
  if (times === null) return misfit(said.end_time === undefined ? "start_time" : "end_time", BEFORE);
  if (!times.ok) return times;
  const isTwice = end.value !== null && length.value !== null && lengthOf(times.value) !== length.value;
  return isTwice ? misfit("duration", "left out where an end is said") : times;
}

function startOf(current: EventTimes | null): Said | null {
  if (current === null) return null;
  const start: Moment =
    current.kind === "days"
      ? { kind: "day", day: current.first }
      : { kind: "time", at: current.start, place: current.place };
  return { start, end: null };
}

function usualLength(kind: EventTimes["kind"], current: EventTimes | null): number {
  if (current?.kind === kind) return lengthOf(current);
  return kind === "days" ? DAY_MS : HOUR_MS;
}

/** How long it takes, in milliseconds. */
function lengthOf(times: EventTimes): number {
  return times.kind === "days" ? times.last - times.first + DAY_MS : times.end - times.start;
}

/** Beginning, end and kind, as tools show them: the last day of whole days, instants as the clock of their place shows them. */
export function showTimes(times: EventTimes): { start: string; end: string; all_day: boolean } {
  if (times.kind === "days")
    return { start: writeDay(times.first), end: writeDay(times.last), all_day: true };
  const { start, end, place } = times;
  return { start: writeInstant(start, place), end: writeInstant(end, place), all_day: false };
}

async function readEnd(
  { end_time }: SaidTimes,
  { start, end }: Said,
  reading: Reading,
): Promise<Result<Moment | null, TimeMisfit>> {
  if (end_time === undefined) return ok(end);
  if (end !== null) return misfit("end_time", "left out where 'start_time' says when it ends");
  const place = start.kind === "time" ? start.place : reading.place;
  const said = await parseWhen(end_time, { ...reading, place, after: start });
  return said === null || said.end !== null ? misfit("end_time", WHEN_EXPECTED) : ok(said.start);
}

function readLength({ duration }: SaidTimes, start: Moment): Result<number | null, TimeMisfit> {
  if (duration === undefined) return ok(null);
  const length = parseDuration(duration);
  if (length === null) return misfit("duration", DURATION_EXPECTED);
  if (start.kind === "day" && length % DAY_MS !== 0)
    return misfit("start_time", `${TIMED}, because 'duration' is no whole days`);
  return ok(length);
}

/** Null where it would end before it starts. */
function toDays(first: WallTime, end: Moment | null, length: number): Result<EventTimes, TimeMisfit> | null {
  if (end?.kind === "time") return misfit("start_time", `${TIMED}, because the end has one`);
  const last = end?.day ?? first + length - DAY_MS;
  return last < first ? null : ok({ kind: "days", first, last });
}

/** Null where it would not end after it starts. */
function toTimes(
  { at: start, place }: Extract<Moment, { kind: "time" }>,
  end: Moment | null,
  length: number,
): Result<EventTimes, TimeMisfit> | null {
  if (end?.kind === "day") return misfit("end_time", `${TIMED}, because the start has one`);
  const ends = end?.at ?? start + length;
  return ends <= start ? null : ok({ kind: "times", start, end: ends, place });
}

const TIMED = 'a day with its time, such as "friday at 3pm"';
const BEFORE = "an end after the start";

function misfit(argument: keyof SaidTimes, expected: string): Result<never, TimeMisfit> {
  return err({ argument, expected });
}
