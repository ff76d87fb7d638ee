import { attemptNow } from "./result.ts";

/** Where a clock hangs: how far it is from UTC at each time. */
export interface Place {
  /** The zone's IANA name; null for an offset that never changes. */
  readonly zone: string | null;
  /** Minutes that a clock there is ahead of UTC at this instant. */
  readonly offsetAt: (instantMs: number) => number;
}

/**
 * The reading of a wall clock, as the milliseconds since the epoch at which a clock in UTC shows the same. Day and time of it are
 * arithmetic, whatever zone it is of.
 */
export type WallTime = number;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Years that a time may be in. Every offset is of whole minutes since 1972, and RFC 3339 writes no others; rules of time
 * zones are known for years ahead, not for centuries.
 */
const YEARS = { first: 1973, last: 2199 };

/** Zones of which a formatter is kept: making one costs more than a hundred looks at it. */
const KEPT_ZONES = 64;
const zones = new Map<string, Place>();

/** A place whose clocks never change. */
export function placeOfOffset(minutes: number): Place {
  return { zone: null, offsetAt: () => minutes };
}

/** Find a zone of the IANA database by its name, in any case; null when it has none of that name. */
export function placeOfZone(name: string): Place | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  // The runtime takes offsets for zones, which Google does not.
  if (!/^[A-Za-z]/.test(name)) return null;
  const format = attemptNow(
    () => new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }),
  );
  if (!format.ok) return null;
  const zone = format.value.resolvedOptions().timeZone;
  const place: Place = { zone, offsetAt: (instantMs) => readOffset(format.value.format(instantMs)) };
  if (zones.size >= KEPT_ZONES) zones.clear();
  zones.set(name, place);
  return place;
}

/** `11/2/2026, GMT-05:00`, and `GMT` alone where there is no difference. */
function readOffset(text: string): number {
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d{2}):(\d{2})/.exec(text) ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -size : size;
}

/** The reading of a clock of this place at an instant. */
export function wallTimeAt(instantMs: number, place: Place): WallTime {
  return instantMs + place.offsetAt(instantMs) * MINUTE_MS;
}

/**
 * Find the instant at which a clock of this place shows a time. A time that is skipped when clocks go forward is read by the
 * clock of before, so it lies as much later as was skipped; of a time that comes twice the first one is taken (RFC 5545,
 * 3.3.5; `compatible` of ECMAScript's Temporal).
 */
export function instantOf(wall: WallTime, place: Place): number {
  // No zone changes twice in two days, so these are the offsets before and after a change that is near.
  const before = wall - place.offsetAt(wall - DAY_MS) * MINUTE_MS;
  const after = wall - place.offsetAt(wall + DAY_MS) * MINUTE_MS;
  const isShown = (instant: number): boolean => wallTimeAt(instant, place) === wall;
  if (isShown(before)) return before;
  return isShown(after) ? after : before;
}

/** Write an instant as RFC 3339, as a clock of this place shows it, to the second. */
export function writeInstant(instantMs: number, place: Place): string {
  const offset = place.offsetAt(instantMs);
  const text = new Date(instantMs + offset * MINUTE_MS).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.abs(offset);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Write the day of a time as `2027-03-05`. */
export function writeDay(wall: WallTime): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** Midnight of the day that a time is of. */
export function dayOf(wall: WallTime): WallTime {
  return Math.floor(wall / DAY_MS) * DAY_MS;
}

/** Midnight of a day; null when the month does not have it, or its year is none for a calendar. */
export function toDay(year: number, month: number, day: number): WallTime | null {
  const wall = Date.UTC(year, month - 1, day);
  // A day that the month does not have is one of another month.
  const isThere = new Date(wall).getUTCMonth() === month - 1;
  return isThere && year >= YEARS.first && year <= YEARS.last ? wall : null;
}
