import { parseAccept } from "hono/utils/accept";

const EVENTS = "text/event-stream";
/** The ranges that JSON matches, the most specific first. */
const JSON_RANGES = ["application/json", "application/*", "*/*"];

/**
 * Whether an `Accept` header asks for server-sent events rather than for one JSON document.
 *
 * Only who names them gets them: a wildcard is what clients send that never thought of a stream. Named beside JSON they
 * win, unless their weight is smaller.
 *
 * Source: RFC 9110, 12.5.1
 */
export function wantsEvents(accept: string | null): boolean {
  if (accept === null) return false;
  const ranges = parseAccept(accept.toLowerCase());
  const weightOf = (type: string): number | undefined => ranges.find((range) => range.type === type)?.q;
  const events = weightOf(EVENTS) ?? 0;
  const json = JSON_RANGES.map(weightOf).find((weight) => weight !== undefined) ?? 0;
  return events > 0 && events >= json;
}
