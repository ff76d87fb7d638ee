/** A text without so many digits in a row has no integer that a number cannot hold. */
const MANY_DIGITS = /\d{16}/;

/** Read JSON; an integer that a number cannot hold becomes a `bigint`, where the browser tells its digits. */
export function parseExact(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context!.source!)
      : value,
  );
}

/** Write JSON with every digit of a `bigint`. A browser that tells digits can also write them. */
export function writeExact(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === "bigint" ? EXACT.rawJSON(String(part)) : part),
    indent,
  );
}

const EXACT = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown };
