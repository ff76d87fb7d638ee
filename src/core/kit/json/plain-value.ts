import { attemptNow } from "../result.ts";

/** Values looked at: more make no line that anybody reads. */
const MOST_VALUES = 500;
const MOST_LEVELS = 8;
const LONGEST_TEXT = 8 * 1024;

/**
 * Make of any value one that JSON can say, for a line of a log: an error with its message, a large integer with its digits, bytes
 * by their number. A part that is too deep, too long or too much is named instead of shown, and one that cannot be read says so.
 * Looks at a bounded part of the value, however large it is or whatever circle it makes. Never throws.
 */
export function plainValue(value: unknown): unknown {
  const read = attemptNow(() => new Reading().plain(value, 0));
  return read.ok ? read.value : "(unreadable)";
}

class Reading {
  #left = MOST_VALUES;

  plain(value: unknown, level: number): unknown {
    this.#left -= 1;
    if (typeof value === "string") return shorten(value);
    if (typeof value === "bigint") return shorten(String(value));
    // A function may have a `toJSON` of its own, which is called when it is written.
    if (typeof value === "function") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if (level === MOST_LEVELS) return "(deeper)";
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `(${value.byteLength} bytes)`;
    if (value instanceof Error) return this.#record({ name: value.name, message: value.message }, level);
    // The JSON form of a date or an address.
    if ("toJSON" in value && typeof value.toJSON === "function") return this.plain(value.toJSON(), level + 1);
    return Array.isArray(value) ? this.#list(value, level) : this.#record(value, level);
  }

  #list(items: readonly unknown[], level: number): unknown[] {
    const shown: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) return [...shown, `(${items.length - shown.length} more)`];
      shown.push(this.plain(item, level + 1));
    }
    return shown;
  }

  #record(value: object, level: number): object {
    // Without a prototype, so that a key named `__proto__` is a key.
    const shown = Object.create(null) as Record<string, unknown>;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      if (this.#left <= 0) return Object.assign(shown, { "(more)": true });
      shown[shorten(key)] = this.plain((value as Readonly<Record<string, unknown>>)[key], level + 1);
    }
    return shown;
  }
}

function shorten(text: string): string {
  return text.length > LONGEST_TEXT ? `(text of ${text.length} characters)` : text;
}
