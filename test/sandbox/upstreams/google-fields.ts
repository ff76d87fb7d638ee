import { refuse } from "./google-errors.ts";

/** Names that are kept, each with what is kept of its value; null for all of that. */
type Mask = ReadonlyMap<string, Mask | null>;

/**
 * Keep of an answer what `fields` names, such as `items(id,start),nextPageToken`, of lists in each of their elements:
 * https://developers.google.com/workspace/calendar/api/guides/performance#partial-response
 *
 * @param known the names there are, at whatever depth
 */
export function keepFields(value: unknown, fields: string | null, known: readonly string[]): unknown {
  if (fields === null) return value;
  const tokens = fields.match(/[A-Za-z]+|[(),]|./g) ?? [];
  const mask = readMask(tokens, known);
  if (tokens.length > 0) throw invalid(fields);
  return keep(value, mask);
}

function readMask(tokens: string[], known: readonly string[]): Mask {
  const mask = new Map<string, Mask | null>();
  do {
    const name = tokens.shift() ?? "";
    if (!known.includes(name)) throw invalid(name);
    const hasInner = tokens[0] === "(";
    if (hasInner) tokens.shift();
    mask.set(name, hasInner ? readMask(tokens, known) : null);
    if (hasInner && tokens.shift() !== ")") throw invalid(name);
  } while (tokens[0] === "," && tokens.shift() === ",");
  return mask;
}

function keep(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((element) => keep(element, mask));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => mask.has(name));
  return Object.fromEntries(
    kept.map(([name, inner]) => {
      const innerMask = mask.get(name);
      return [name, innerMask ? keep(inner, innerMask) : inner];
    }),
  );
}

function invalid(field: string): Error {
  return refuse(400, "invalidParameter", `Invalid field selection ${field}`);
}
