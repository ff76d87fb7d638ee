import * as LIMITS from "../contract/limits.ts";

const SECONDS = /^\d+(?:\.\d+)?$/;
/** The three forms of an HTTP-date (RFC 9110, 5.6.7) begin with a day's name, and only those are tried as one. */
const DAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Read a `Retry-After` header (RFC 9110, 10.2.3) as milliseconds from `now`, or undefined when it says nothing usable.
 *
 * A moment that has passed is 0; whatever is longer than `most` is that. `Date.parse` alone would not do:
 * it takes `-5` and many other slips for dates.
 *
 * @example
 * parseRetryAfter("120", now); // 120_000
 */
export function parseRetryAfter(
  value: string | null,
  now: number,
  most: number = LIMITS.retryAfterMs,
): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (SECONDS.test(text)) return clamp(Number(text) * 1_000, most);
  if (!DAY.test(text)) return undefined;
  // The asctime form names no zone and means GMT; without one Date.parse takes the machine's.
  const at = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : clamp(at - now, most);
}

function clamp(ms: number, most: number): number {
  return Math.min(most, Math.max(0, Math.ceil(ms)));
}
