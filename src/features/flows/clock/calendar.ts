import { DAY_MS, HOUR_MS, MINUTE_MS, type WallTime } from "../../../core/kit/time-zone.ts";
import { CRON_FIELDS, numbersOf } from "./cron-field.ts";

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
