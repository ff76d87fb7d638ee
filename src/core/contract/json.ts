/** Anything JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object as it arrives: its values are not looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tell a plain JSON object from an array, null or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

declare global {
  // Not in TypeScript's libraries yet (ECMAScript proposal "JSON.parse source text access", stage 4).
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** A number that no double is: `JSON.stringify` writes its digits as they came. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** Whether a text is an integer beyond what a double has exactly, written as JSON writes it. */
export function isLongInteger(text: string): boolean {
  return /^-?[1-9]\d{15,308}$/.test(text) && !Number.isSafeInteger(Number(text));
}

/**
 * Write numbers that a double would change otherwise, in a copy; the value itself if it has none. Each is asked once, with its
 * digits as they came.
 */
export function mapExact(value: unknown, write: (digits: string) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (JSON.isRawJSON(value)) return write(value.rawJSON);
  const inner = Object.values(value) as unknown[];
  const written = inner.map((one) => mapExact(one, write));
  if (written.every((one, at) => one === inner[at])) return value;
  if (Array.isArray(value)) return written;
  return Object.fromEntries(Object.keys(value).map((key, at) => [key, written[at]]));
}

const encoder = new TextEncoder();

/** Up to so many characters the engine finds out faster that all is ASCII, a byte each, than it encodes; then it is slower. */
const SHORT_TEXT = 512;

// oxlint-disable-next-line no-control-regex -- the controls are ASCII
const ASCII = /^[\0-\x7f]*$/;

/** The bytes of a text as UTF-8. */
export function utf8Length(text: string): number {
  return text.length <= SHORT_TEXT && ASCII.test(text) ? text.length : encoder.encode(text).length;
}

/** Numbers that may lose something as a double: of 16 digits, with an exponent, or the sign of zero. */
const MAY_LOSE = /(?<![^\s,:[])(?:-?[\d.]{16}[\d.eE+-]*|-?[\d.]{1,15}[eE][\d.eE+-]*|-0[.0]*(?![\d.eE]))/g;

/** Matches wherever `MAY_LOSE` does, and is what the engine finds fastest that nothing is there. */
const NEARLY = /^-?\d|[\s,:[](?:-?[\d.]{16}|-?[\d.]{1,15}[eE]|-0)/;

/**
 * Parse JSON so that writing it again keeps every number's digits: one that a double would change (an integer beyond 2^53,
 * `1e400`, more digits than a double has) is a `RawNumber`, all others are numbers. A number that a double writes otherwise
 * without changing the value (`1.10`, `1e2`) is a number too.
 *
 * Only text in which such a number stands pays for a look at each value.
 */
export function parseExact(text: string): unknown {
  if (!NEARLY.test(text)) return JSON.parse(text) as unknown;
  for (const [number] of text.matchAll(MAY_LOSE)) {
    if (loses(Number(number), number))
      return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown) as unknown;
  }
  return JSON.parse(text) as unknown;
}

/** Count the numbers in JSON text that `parseExact` has to look at, and text that looks like them; `enough` at most. */
export function countLongNumbers(text: string, enough: number): number {
  if (!NEARLY.test(text)) return 0;
  let count = 0;
  for (const _ of text.matchAll(MAY_LOSE)) if ((count += 1) > enough) break;
  return count;
}

function keepDigits(_: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === "number" && loses(value, source!) ? JSON.rawJSON(source!) : value;
}

/** Whether a number, written from its double, differs from its source; an integer is also when it gets an exponent. */
function loses(value: number, source: string): boolean {
  const written = String(value);
  if (written === source) return false;
  return !Number.isFinite(value) || /^-?\d+$/.test(source) || toDecimal(written) !== toDecimal(source);
}

/** A number's sign, digits and power of ten, without zeros that say nothing. */
function toDecimal(text: string): string {
  const [, sign, whole = "", part = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return text;
  const digits = `${whole}${part}`.replace(/^0+/, "");
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return end === 0
    ? `${sign}0`
    : `${sign}${digits.slice(0, end)}e${Number(power) - part.length + digits.length - end}`;
}

/** Whether a value is what may stand somewhere. */
export type Check = (value: unknown) => boolean;

/** The check of each field of an object. */
export type Fields = Readonly<Record<string, Check>>;

/** An object without those of the named fields that are null: serialisers write it where nothing was meant. */
export function withoutNulls(value: unknown, names: readonly string[]): unknown {
  if (!isJsonObject(value) || !Object.values(value).includes(null)) return value;
  const said = Object.entries(value).filter(([name, inner]) => inner !== null || !names.includes(name));
  return Object.fromEntries(said);
}

/** An object that has what is required, no unknown field, and in each field what may stand there. */
export function record(fields: Fields, required: readonly string[]): Check {
  const checks = new Map(Object.entries(fields));
  return (value) => {
    if (!isJsonObject(value)) return false;
    for (const name of required) if (value[name] === undefined) return false;
    for (const name of Object.keys(value)) {
      const check = checks.get(name);
      if (check === undefined) return false;
      const inner = value[name];
      if (inner !== undefined && !check(inner)) return false;
    }
    return true;
  };
}

export const isAnything: Check = () => true;

export const isText: Check = (value) => typeof value === "string";

/** Text that is not empty. */
export const isWritten: Check = (value) => typeof value === "string" && value !== "";

export const isFlag: Check = (value) => typeof value === "boolean";

export function matches(pattern: RegExp): Check {
  return (value) => typeof value === "string" && pattern.test(value);
}

/** A whole number from 1 to `max`. */
export function upTo(max: number): Check {
  return (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max;
}

export function oneOf(...words: readonly string[]): Check {
  return (value) => (words as readonly unknown[]).includes(value);
}

export interface ListBounds {
  readonly min?: number;
  readonly max?: number;
}

/** A list, of at least one unless said. */
export function listOf(check: Check, { min = 1, max = Number.POSITIVE_INFINITY }: ListBounds = {}): Check {
  return (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max && value.every((each) => check(each));
}
