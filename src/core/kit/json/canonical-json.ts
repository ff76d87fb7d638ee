/**
 * Write a JSON value so that equal values are equal text: the keys of every object in one order, no white space.
 *
 * For digests. Numbers and strings are written as `JSON.stringify` does, which is what RFC 8785 asks for.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) && !JSON.isRawJSON(inner)
      ? sortKeys(inner)
      : inner,
  );
}

/** `fromEntries` defines what it is given, so no key reaches a prototype. */
function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
