import { nearest } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { DAY_MS, placeOfZone } from "../../../core/kit/time-zone.ts";
import { quotedText } from "../../../core/kit/visible-text.ts";
import type { TriggerFlaw } from "../declaration/check-hook.ts";
import { checkField, CRON_FIELDS, fieldExpected, fieldsOf } from "./cron.ts";
import { nextTime } from "./next-time.ts";

const CRON = "five fields of a crontab: minute, hour, day of the month, month, day of the week";
/** Characters of a zone's name: the longest has 32. */
const ZONE_CHARACTERS = 64;
const ZONE = 'the name of an IANA time zone such as "Europe/Berlin"';

/**
 * Find what is wrong with a clock as a caller sends it; nothing is where `nextTime` has a time of it within five years of `nowMs`.
 * A zone that is left out is UTC.
 */
export function checkClock(
  { cron, timezone = "UTC" }: { readonly cron: unknown; readonly timezone?: unknown },
  nowMs: number,
): readonly TriggerFlaw[] {
  const problems = [...checkCron(cron), ...checkZone(timezone)];
  if (problems.length > 0 || typeof cron !== "string" || typeof timezone !== "string") return problems;
  const next = nextTime({ cron, timezone }, nowMs);
  if (next !== null && next - nowMs <= LIMITS.cronAheadDays * DAY_MS) return [];
  const hint =
    "It has no time in the next five years: does the month have that day, and the day that time, where clocks are set?";
  return [{ path: ["cron"], expected: "a time that comes", hint }];
}

function checkCron(cron: unknown): TriggerFlaw[] {
  const problem = (expected: string, hint: string): TriggerFlaw => ({ path: ["cron"], expected, hint });
  if (typeof cron !== "string") return [problem(CRON, 'Write them as text, such as "0 7 * * 1-5".')];
  if (cron.length > LIMITS.cronCharacters)
    return [
      problem(`at most ${LIMITS.cronCharacters} characters`, "Write ranges and steps instead of lists."),
    ];
  const fields = fieldsOf(cron);
  if (fields.length !== CRON_FIELDS.length) return [problem(CRON, explainFields(cron, fields))];
  return CRON_FIELDS.flatMap((field, index) => {
    const hint = checkField(fields[index] ?? "", field);
    return hint === null ? [] : [problem(fieldExpected(field), hint)];
  });
}

/** Names that other kinds of cron have. */
const NICKNAMES = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

function explainFields(cron: string, fields: readonly string[]): string {
  const written = NICKNAMES.get(cron.trim().toLowerCase());
  if (written !== undefined) return `Write "${written}".`;
  const five = fields.slice(1, 6);
  const isFive = CRON_FIELDS.every((field, index) => checkField(five[index] ?? "", field) === null);
  if (fields.length > 5 && isFive)
    return `There are no seconds and no years; leave them out and write ${quotedText(five.join(" "), LIMITS.cronCharacters)}.`;
  return `It has ${fields.length === 1 ? "one field" : `${fields.length} fields`}; every weekday at seven is "0 7 * * 1-5".`;
}

function checkZone(timezone: unknown): TriggerFlaw[] {
  if (typeof timezone !== "string")
    return [{ path: ["timezone"], expected: ZONE, hint: "Write it as text." }];
  if (timezone.length <= ZONE_CHARACTERS && placeOfZone(timezone) !== null) return [];
  return [{ path: ["timezone"], expected: ZONE, hint: explainZone(timezone) }];
}

function explainZone(timezone: string): string {
  if (/^(?:Z|(?:UTC|GMT)? ?[+-]?\d{1,2}(?::?\d{2})?)$/i.test(timezone))
    return `An offset does not know when clocks are set; write the zone's name, or "UTC".`;
  const zones = Intl.supportedValuesOf("timeZone");
  const plain = timezone.slice(0, ZONE_CHARACTERS).trim().replaceAll(" ", "_").toLowerCase();
  const cities = zones.filter((zone) => zone.toLowerCase().endsWith(`/${plain}`));
  const region = zones.filter((zone) => zone.toLowerCase().startsWith(plain.split("/")[0] ?? ""));
  const [near] = cities.length > 0 ? cities : nearest(plain, region, 1);
  return near === undefined ? "There is no such zone." : `There is no such zone; did you mean "${near}"?`;
}
