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
  const weights = readWeights(accept.toLowerCase());
  const events = weights.get(EVENTS) ?? 0;
  const json = JSON_RANGES.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
  return events > 0 && events >= json;
}

/** A parameter's quoted value: it may hold whatever parts ranges. */
const QUOTED = /"[^"]*"?/g;

/** Read the largest weight of each range, 1 where it says none that is a number. */
function readWeights(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.replaceAll(QUOTED, "").split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const said = Number.parseFloat(parameters.find((one) => /^q\s*=/.test(one))?.split("=")[1] ?? "1");
    const weight = Number.isNaN(said) ? 1 : said;
    weights.set(type, Math.max(weight, weights.get(type) ?? 0));
  }
  return weights;
}
