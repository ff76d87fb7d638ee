import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type Place,
  placeOfZone,
  type WallTime,
  wallTimeAt,
} from "../../../core/kit/time-zone.ts";
import { type Calendar, calendarOf, fieldsOf, isWild } from "./cron.ts";

/** When something runs: the five fields of a crontab, by the clocks of an IANA zone. `checkClock` has accepted it. */
export interface CronClock {
  readonly cron: string;
  readonly timezone: string;
}

/** How far ahead a time is looked for: the 29th of February is a Sunday every 28 years, and every 40 around 2100. */
const HORIZON_MS = 45 * 366 * DAY_MS;

/** A longer gap is not made up for: a zone that crosses the date line has one day less, not two at once. */
const MADE_UP_MS = 3 * HOUR_MS;

/**
 * Find the first time of a clock that is strictly later, in milliseconds since the epoch; null where there is none.
 *
 * Where the zone's clocks are set, it is as in Vixie cron. A clock with a `*` in its minute or hour goes by real time: it
 * leaves out what is skipped, and both of what comes twice are its times. Any other has one time for each day and time that it
 * names: the first of two, and right after the change where it is skipped.
 *
 * @example
 * nextTime({ cron: "0 7 * * 1-5", timezone: "Europe/Berlin" }, Date.parse("2026-11-20T12:00:00Z")); // Monday, 06:00 UTC
 */
export function nextTime(clock: CronClock, afterMs: number): number | null {
  return timesOf(clock)(afterMs);
}

/** `nextTime` of one clock: the text is read once for many times of it. */
export function timesOf({ cron, timezone }: CronClock): (afterMs: number) => number | null {
  const place = placeOfZone(timezone);
  if (place === null)
    throw new Error(`Cannot find times: 'timezone' must be an IANA zone, received ${timezone}`);
  const nextWall = calendarOf(cron);
  const [minute = "", hour = ""] = fieldsOf(cron);
  const search = isWild(minute) || isWild(hour) ? nextInRealTime : nextOnceEach;
  return (afterMs) => search(afterMs, { place, nextWall, untilWall: afterMs + HORIZON_MS });
}

interface Search {
  readonly place: Place;
  readonly nextWall: Calendar;
  readonly untilWall: WallTime;
}

/** Each time as often as it is shown. */
function nextInRealTime(afterMs: number, search: Search): number | null {
  const wall = wallTimeAt(afterMs, search.place);
  const found = firstOf(wall, search, (shown) => {
    if (shown.kind === "once") return shown.atMs;
    if (shown.kind === "never") return null;
    return shown.firstMs > afterMs ? shown.firstMs : shown.secondMs;
  });
  const now = shownAt(Math.floor(wall / MINUTE_MS) * MINUTE_MS, search.place);
  if (now.kind !== "twice" || afterMs >= now.changeMs) return found;
  // The clocks will be set back, and then show again what they have shown already.
  const untilWall = wallTimeAt(now.changeMs - 1, search.place);
  const again = firstOf(wallTimeAt(now.changeMs, search.place) - 1, { ...search, untilWall }, (shown) =>
    shown.kind === "twice" ? shown.secondMs : null,
  );
  return found === null || (again !== null && again < found) ? again : found;
}

/** Each time once, whether it is shown once, twice or never. */
function nextOnceEach(afterMs: number, search: Search): number | null {
  return firstOf(wallTimeAt(afterMs, search.place), search, (shown) => {
    if (shown.kind === "once") return shown.atMs;
    if (shown.kind === "never") return shown.skippedMs <= MADE_UP_MS ? shown.changeMs : null;
    return shown.firstMs > afterMs ? shown.firstMs : null;
  });
}

/** The first of the times after `from` that is at an instant. One time is looked at among all that one change skips or repeats. */
function firstOf(from: WallTime, search: Search, at: (shown: Shown) => number | null): number | null {
  const { place, nextWall, untilWall } = search;
  let wall = nextWall(from, untilWall);
  while (wall !== null && wall <= untilWall) {
    const shown = shownAt(wall, place);
    const found = at(shown);
    if (found !== null) return found;
    wall = nextWall(shown.kind === "once" ? wall : lastAffected(shown.changeMs, place), untilWall);
  }
  return null;
}

/** The end of what a change skips or repeats. */
function lastAffected(changeMs: number, place: Place): WallTime {
  return Math.max(wallTimeAt(changeMs, place), wallTimeAt(changeMs - 1, place) + 1) - 1;
}

/** When the clocks of a place show a time: once, twice where they went back, never where they went forward over it. */
type Shown =
  | { readonly kind: "once"; readonly atMs: number }
  | { readonly kind: "twice"; readonly firstMs: number; readonly secondMs: number; readonly changeMs: number }
  | { readonly kind: "never"; readonly changeMs: number; readonly skippedMs: number };

/** Find when the clocks of a place show a time of whole minutes; `changeMs` is when they were set, where they were. */
function shownAt(wall: WallTime, place: Place): Shown {
  // No zone changes twice in two days, so these are by the clocks before a change that is near, and after it.
  const before = wall - place.offsetAt(wall - DAY_MS) * MINUTE_MS;
  const after = wall - place.offsetAt(wall + DAY_MS) * MINUTE_MS;
  if (before === after) return { kind: "once", atMs: before };
  const isBefore = wallTimeAt(before, place) === wall;
  const isAfter = wallTimeAt(after, place) === wall;
  if (isBefore && isAfter)
    return {
      kind: "twice",
      firstMs: before,
      secondMs: after,
      changeMs: findChange(before, after, place),
    };
  if (isBefore || isAfter) return { kind: "once", atMs: isBefore ? before : after };
  return { kind: "never", changeMs: findChange(after, before, place), skippedMs: before - after };
}

/** The minute in which the clocks of a place are set, after the first of two times and not after the second. */
function findChange(fromMs: number, toMs: number, place: Place): number {
  const offset = place.offsetAt(fromMs);
  let [same, other] = [fromMs, toMs];
  while (other - same > MINUTE_MS) {
    const middle = same + Math.floor((other - same) / 2 / MINUTE_MS) * MINUTE_MS;
    if (place.offsetAt(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}
