/**
 * A size that a value's JSON has at least, in bytes; once it is over `enough` the rest is not looked at.
 *
 * A lower bound, because escapes and letters beyond ASCII are not counted: what is too large by this is too large. It
 * costs a look at as many values as `enough` has bytes, however large the whole is.
 */
export function leastJsonSize(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return 1;
  // Brackets and commas: one more than there are elements.
  let size = 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size <= enough; at += 1)
      size += 1 + leastJsonSize(value[at], enough - size);
    return Math.max(size, 2);
  }
  for (const key of Object.keys(value)) {
    if (size > enough) return size;
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    size += 1 + key.length + '"":'.length + leastJsonSize(inner, enough - size);
  }
  return Math.max(size, 2);
}
