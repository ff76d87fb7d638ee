/**
 * Write a parsed JSON value so that equal values give equal text: no whitespace, the keys of objects in order of their
 * UTF-16 units (as RFC 8785 sorts them), numbers as JavaScript writes them.
 *
 * It recurses, so the value's depth must be bounded before.
 *
 * @example
 * toCanonicalJson({ b: 1, a: [1.0, "x"] }); // '{"a":[1,"x"],"b":1}'
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${toCanonicalJson(inner)}`).join(",")}}`;
}
