/**
 * Write a JSON value so that equal values are equal text: the keys of every object in one order, no white space.
 *
 * For digests. Numbers and strings are written as `JSON.stringify` does, which is what RFC 8785 asks for.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) && !JSON.isRawJSON(inner)
      ? // `fromEntries` defines what it is given, so no key reaches a prototype.
        Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/**
 * Write a value of plain JSON as text that is the same for equal values, whatever the order of their keys; null when it
 * holds anything that JSON does not, because two of those may differ in what the text would not show.
 */
export function canonicalKey(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) return null;
      return Object.is(value, -0) ? "-0" : String(value);
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (JSON.isRawJSON(value)) return value.rawJSON;
      return Array.isArray(value) ? keyOfArray(value) : keyOfObject(value);
    default:
      return null;
  }
}

function keyOfArray(values: readonly unknown[]): string | null {
  let text = "";
  for (const value of values) {
    const key = canonicalKey(value);
    if (key === null) return null;
    text += text === "" ? key : `,${key}`;
  }
  return `[${text}]`;
}

function keyOfObject(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return null;
  let text = "";
  for (const name of Object.keys(value).sort()) {
    const key = canonicalKey((value as Record<string, unknown>)[name]);
    if (key === null) return null;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${key}`;
  }
  return `{${text}}`;
}
