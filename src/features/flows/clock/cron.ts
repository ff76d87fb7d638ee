import { quotedText } from "../../../core/kit/visible-text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, type WallTime } from "../../../core/kit/time-zone.ts";

/** One of the five fields: what it is called, and which numbers it has. */
interface CronField {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Other names of the numbers, from the first on. */
  readonly names?: readonly string[];
}

/** The fields of a crontab, in order. Sunday is 0, and 7 too. */
export const CRON_FIELDS: readonly CronField[] = [
  { name: "minute", first: 0, last: 59 },
  { name: "hour", first: 0, last: 23 },
  { name: "day of the month", first: 1, last: 31 },
  {
    name: "month",
    first: 1,
    last: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  {
    name: "day of the week",
    first: 0,
    last: 7,
    names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
  },
];

const ITEM = /^(\*|\d+|[A-Za-z]+)(?:-(\d+|[A-Za-z]+))?(?:\/(\d+))?$/;

/** The allowed values of a field, in the words of a refusal. */
export function fieldExpected({ name, first, last }: CronField): string {
  return `as ${name} a number from ${first} to ${last}, several as in ${first},${first + 2} or ${first}-${first + 4}, a step as in */2, or *`;
}

/** Find what is wrong with a field's text; the sentence says what to write instead. Null where nothing is. */
export function checkField(text: string, field: CronField): string | null {
  const items = text.split(",");
  for (const item of items) {
    const problem =
      item.startsWith("*") && items.length > 1 ? starInList(item, field) : checkItem(item, field);
    if (problem !== null) return problem;
  }
  return null;
}

/** The numbers of a field that `checkField` has nothing against, each once, going up. */
function numbersOf(text: string, field: CronField): readonly number[] {
  const numbers = text.split(",").flatMap((item) => {
    const [, from = "*", to = from, step = "1"] = ITEM.exec(item) ?? [];
    const [low, high] =
      from === "*" ? [field.first, lastOf(field)] : [readEnd(from, field), readEnd(to, field)];
    // In a range that ends with Sunday, Sunday is its last day.
    const last = high === 0 && low > 0 ? 7 : high;
    const count = Math.floor((last - low) / Number(step)) + 1;
    return Array.from({ length: count }, (_, index) => low + index * Number(step));
  });
  const sunday = field.last === 7 ? numbers.map((number) => number % 7) : numbers;
  return [...new Set(sunday)].toSorted((a, b) => a - b);
}

function readEnd(value: string, field: CronField): number {
  const number = read(value, field);
  if (typeof number === "string") throw new Error(`Cannot read the ${field.name}: ${number}`);
  return number;
}

function checkItem(item: string, field: CronField): string | null {
  const [, from, to, step] = ITEM.exec(item) ?? [];
  if (from === undefined || (from === "*" && to !== undefined)) return explainItem(item, field);
  if (step !== undefined && to === undefined && from !== "*")
    return `Say where the step ends: ${quotedText(`${from}-${lastOf(field)}/${step}`)}.`;
  return checkRange(from, to, field) ?? checkStep(step, field);
}

function checkRange(from: string, to: string | undefined, field: CronField): string | null {
  if (from === "*") return null;
  const [low, high] = [read(from, field), to === undefined ? null : read(to, field)];
  if (typeof low === "string") return low;
  if (typeof high === "string") return high;
  if (high === null) return null;
  // As the end of a range Sunday is 7, so this would be the whole week.
  if (low === 0 && to?.toUpperCase() === "SUN") return `Write "SUN" for Sundays, and "*" for every day.`;
  const last = high === 0 && to?.toUpperCase() === "SUN" ? 7 : high;
  if (low <= last) return null;
  const { first } = field;
  const isSunday = field.last === 7 && low === 7;
  const shown = isSunday ? `0-${last}` : `${low}-${lastOf(field)},${first}-${last}`;
  return `A range goes up: write ${quotedText(shown)}.`;
}

function checkStep(step: string | undefined, field: CronField): string | null {
  if (step === undefined) return null;
  const most = lastOf(field) - field.first + 1;
  const isStep = Number(step) >= 1 && Number(step) <= most;
  return isStep ? null : `A step of the ${field.name} is from 1 to ${most}.`;
}

/** The number that a value is, or what is wrong with it. */
function read(value: string, { name, first, last, names = [] }: CronField): number | string {
  if (/^\d/.test(value)) {
    const number = Number(value);
    return number >= first && number <= last ? number : `The ${name} is from ${first} to ${last}.`;
  }
  const upper = value.toUpperCase();
  const index = names.indexOf(upper);
  if (index >= 0) return first + index;
  if (names.length === 0) return explainItem(value, { name, first, last });
  if (/^(?:[A-Z]{3})?[LW]$/.test(upper)) return explainItem(value, { name, first, last });
  const short = names.find((known) => upper.startsWith(known));
  if (short !== undefined) return `Write the name with three letters: "${short}".`;
  return `Names of the ${name} are ${names.join(", ")}.`;
}

/** In a list the star would hide the rest, and it decides how the whole is read where clocks are set. */
function starInList(item: string, field: CronField): string {
  const [, step] = /^\*\/(\d{1,2})$/.exec(item) ?? [];
  if (step === undefined) return `Write "*" alone: it is every ${field.name} already.`;
  return `In a list write ${quotedText(`${field.first}-${lastOf(field)}/${step}`)} for "*/${step}".`;
}

/** Say what to write for what other kinds of cron have. */
function explainItem(item: string, field: CronField): string {
  if (item.includes("?")) return `Write "*" for "?".`;
  if (item.includes("+")) return `Leave out the "+": where both days are given, either is enough.`;
  if (item.includes("#"))
    return `Which of a month's weekdays it is cannot be said: leave out the "#" and what follows, and it is each of them.`;
  if (/^[\dA-Z]*W$/i.test(item))
    return `The weekday nearest to a day cannot be said: leave out the "W", and it is that day.`;
  if (/^(?:\d*|[A-Z]{3})L(?:-\d+)?$/i.test(item))
    return field.last === 31
      ? `The last day of a month cannot be said: write 28, which every month has, or 1 for the day after.`
      : `Which weekday is a month's last cannot be said: leave out the "L", and it is each of them.`;
  return `Write the ${field.name} as a number from ${field.first} to ${field.last}, or "*" for each.`;
}

/** Sunday is one day, though it has two numbers. */
function lastOf({ last }: CronField): number {
  return last === 7 ? 6 : last;
}

/** Find the first time of a crontab that is strictly later than one, up to the end of another's day; null where there is none. */
export type Calendar = (after: WallTime, until: WallTime) => WallTime | null;

/** The fields of a crontab's line. */
export function fieldsOf(cron: string): readonly string[] {
  return cron.trim().split(/[ \t]+/);
}

/** Whether a field goes by every number, as Vixie cron sees it: it begins with a star. */
export function isWild(field: string): boolean {
  return field.startsWith("*");
}

/**
 * The times of a crontab's line as what a clock shows, which knows of no zone: each day has all its minutes. The line is
 * one that `checkClock` has nothing against.
 *
 * If two fields both name days, either is enough, and one that begins with `*` narrows down the other (crontab(5) of Vixie cron).
 * A month without its days is passed over as a whole, so 45 years are 540 steps.
 */
export function calendarOf(cron: string): Calendar {
  const texts = fieldsOf(cron);
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = CRON_FIELDS.map((field, index) =>
    numbersOf(texts[index] ?? "", field),
  );
  const isEither = !isWild(texts[2] ?? "") && !isWild(texts[4] ?? "");
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS));

  const isDay = (date: Date): boolean => {
    const [isOfMonth, isOfWeek] = [days.includes(date.getUTCDate()), weekdays.includes(date.getUTCDay())];
    return isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
  };
  return (after, until) => {
    let day = Math.floor(after / DAY_MS) * DAY_MS;
    while (day <= until) {
      const date = new Date(day);
      if (!months.includes(date.getUTCMonth() + 1)) {
        day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
        continue;
      }
      if (isDay(date)) {
        const time = times.find((ofDay) => day + ofDay > after);
        if (time !== undefined) return day + time;
      }
      day += DAY_MS;
    }
    return null;
  };
}
