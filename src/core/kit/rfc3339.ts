const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** The form that `parseInstant` takes, in the words of a refusal. */
export const INSTANT_EXPECTED = 'a time with its offset such as "2026-12-01T08:00:00Z"';

/**
 * Parse a point in time as RFC 3339 writes it, with its offset; null for anything else. Milliseconds since the epoch.
 *
 * Stricter than `Date.parse`, which takes times without an offset for local ones and the 30th of February for the 2nd of March.
 *
 * @example
 * parseInstant("2026-12-01T08:00:00+01:00"); // 1796108400000
 */
export function parseInstant(text: string): number | null {
  const [, year, month, day] = INSTANT.exec(text) ?? [];
  if (year === undefined) return null;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // A day that the month does not have is one of another month.
  return date.getUTCMonth() === Number(month) - 1 ? Date.parse(text.toUpperCase()) : null;
}
