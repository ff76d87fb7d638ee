import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/kit/time-zone.ts";

/** Longer is no event. */
const LONGEST_MS = 366 * DAY_MS;

const UNITS_MS: Readonly<Record<string, number>> = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: MINUTE_MS };

const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  eight: 8,
  ten: 10,
  half: 0.5,
};

const PART =
  /^(half an?|\d{1,6}(?:[.,]\d{1,3})?|[a-z]+) ?(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?)(?![a-z])/;

/** The form that `parseDuration` takes, in the words of a refusal. */
export const DURATION_EXPECTED = 'a length of time such as "2 hours", "90 minutes", "1h30m" or "PT45M"';

/**
 * Parse a length of time: English words (`2 hours`, `an hour and a half`), units (`1h30m`), `1:30`, or ISO 8601 (`PT45M`).
 * Whole minutes at least, a year at most; null for anything else. Milliseconds: a day is 24 hours of elapsed time.
 *
 * @example
 * parseDuration("1h30m"); // 5400000
 */
export function parseDuration(text: string): number | null {
  const said = text.toLowerCase().replaceAll(/\s+/g, " ").trim();
  const length = readIso(said) ?? readClock(said) ?? readWords(said);
  if (length === null || length < MINUTE_MS || length > LONGEST_MS) return null;
  return Math.round(length / MINUTE_MS) * MINUTE_MS;
}

function readIso(text: string): number | null {
  const [, weeks, days, hours, minutes] =
    /^p(?=[\dt])(?:(\d{1,3})w)?(?:(\d{1,3})d)?(?:t(?=\d)(?:(\d{1,4}(?:\.\d{1,3})?)h)?(?:(\d{1,6})m)?)?$/.exec(
      text,
    ) ?? [];
  const parts = [weeks, days, hours, minutes];
  if (parts.every((part) => part === undefined)) return null;
  const units = [7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS];
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * units[index]!, 0);
}

function readClock(text: string): number | null {
  const [, hours, minutes] = /^(\d{1,2}):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? null : Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
}

/** Amounts with their units, one after the other; anything between them but `and` and commas makes it none. */
function readWords(text: string): number | null {
  let rest = text.replace(/^(\w+) and a half (\w+)$/, "$1 $2 and half").replace(/ and a half$/, " and half");
  let length = 0;
  let last = 0;
  while (rest !== "") {
    const [whole, amount = "", unit = ""] = PART.exec(rest) ?? [];
    // `an hour and a half`, `2 hours and a half`
    if (whole === undefined) return rest === "half" && last > 0 ? length + last / 2 : null;
    const count = NUMBERS[amount.replace(/ an?$/, "")] ?? Number(amount.replace(",", "."));
    last = UNITS_MS[unit.charAt(0)]!;
    if (Number.isNaN(count)) return null;
    length += count * last;
    rest = rest.slice(whole.length).replace(/^(?: ?, ?| )?(?:and )?/, "");
  }
  return last === 0 ? null : length;
}
