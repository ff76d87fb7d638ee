/** A crontab's fields, as numbers; `*` is all of them. */
export interface Fields {
  readonly minute: readonly number[] | "*";
  readonly hour: readonly number[] | "*";
  readonly day: readonly number[] | "*";
  readonly month: readonly number[] | "*";
  /** 0 is Sunday. */
  readonly weekday: readonly number[] | "*";
}

const MINUTE = 60_000;

interface Shown {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/**
 * Every time of a crontab's line in `(from, to]`, found by walking each minute and looking at a clock: slow, and it knows nothing
 * of offsets or of changes.
 */
export function walk(fields: Fields, timezone: string, [from, to]: readonly [number, number]): number[] {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  });
  const isWild = fields.minute === "*" || fields.hour === "*";
  const times: number[] = [];
  const seen = new Set<number>();
  // The times shown some hours before are known too: a time that comes again has been there.
  const start = Math.floor(from / MINUTE) * MINUTE - 6 * 60 * MINUTE;
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = start; at <= to; at += MINUTE) {
    const wall = wallOf(read(clock, at));
    const isTime = isWild
      ? matches(fields, wall)
      : (!seen.has(wall) && matches(fields, wall)) || skipsOne(fields, latest, wall);
    seen.add(wall);
    latest = Math.max(latest, wall);
    if (isTime && at > from) times.push(at);
  }
  return times;
}

/** Whether one of the minutes between two that were shown one after the other is a time; a day is not made up for. */
function skipsOne(fields: Fields, before: number, after: number): boolean {
  if (after - before > 181 * MINUTE) return false;
  for (let wall = before + MINUTE; wall < after; wall += MINUTE) if (matches(fields, wall)) return true;
  return false;
}

function matches({ minute, hour, day, month, weekday }: Fields, wall: number): boolean {
  const shown = new Date(wall);
  const is = (field: readonly number[] | "*", value: number): boolean =>
    field === "*" || field.includes(value);
  const isDay = is(day, shown.getUTCDate());
  const isWeekday = is(weekday, shown.getUTCDay());
  const either = day !== "*" && weekday !== "*";
  return (
    is(minute, shown.getUTCMinutes()) &&
    is(hour, shown.getUTCHours()) &&
    is(month, shown.getUTCMonth() + 1) &&
    (either ? isDay || isWeekday : isDay && isWeekday)
  );
}

function wallOf({ year, month, day, hour, minute }: Shown): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

function read(clock: Intl.DateTimeFormat, at: number): Shown {
  const parts = Object.fromEntries(
    clock.formatToParts(at).map(({ type, value }) => [type, Number(value)] as const),
  );
  const of = (type: string): number => parts[type] ?? Number.NaN;
  return { year: of("year"), month: of("month"), day: of("day"), hour: of("hour"), minute: of("minute") };
}
