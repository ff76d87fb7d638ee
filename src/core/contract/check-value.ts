import { err, ok, type Result } from "../kit/result.ts";
import type { Issue } from "./failure.ts";
import { visiblePath } from "./issues.ts";

/** Keys that reach a prototype when a careless merge copies them. */
const POISONED = new Set(["__proto__", "constructor", "prototype"]);

/** The findings of a walk over a value. */
export interface Seen {
  /** A key that begins with `$`, as those of references do. */
  dollar: boolean;
  /** Text with a character that every placeholder has. */
  braces: boolean;
}

/** The characters of a placeholder in any spelling. */
const BRACES = /[{$<#%]/;

/**
 * Find what JSON can say but no argument may: keys that reach a prototype, numbers that are not finite (`1e400`
 * parses as Infinity), integers that have lost their digits (they would silently become other numbers) and halves of characters.
 *
 * Recursion is safe: the body's depth was bounded before it was parsed.
 *
 * @param seen told what else the walk came past
 */
export function checkValue(
  value: unknown,
  path: readonly PropertyKey[],
  seen: Seen = { dollar: false, braces: false },
): Result<void, Issue> {
  if (typeof value === "number") return checkNumber(value, path);
  if (typeof value === "string" && !value.isWellFormed()) return err(loneSurrogate(path, "a string"));
  if (typeof value !== "object" || value === null) return DONE;
  if (Array.isArray(value)) return checkElements(value, path, seen);
  if (JSON.isRawJSON(value)) return checkNumber(Number(value.rawJSON), path, true);
  for (const key of Object.keys(value)) {
    if (key.startsWith("$")) seen.dollar = true;
    if (!key.isWellFormed()) return err(loneSurrogate([...path, key], "a key"));
    if (POISONED.has(key))
      return err({
        path: visiblePath([...path, key]),
        expected: "no such field",
        received: "a reserved key",
      });
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "string" && BRACES.test(inner)) seen.braces = true;
    if (isFine(inner)) continue;
    const checked = checkValue(inner, [...path, key], seen);
    if (!checked.ok) return checked;
  }
  return DONE;
}

/** Take the keys that reach a prototype out of a value that was just parsed. Its depth was bounded before. */
export function dropReservedKeys(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (POISONED.has(key)) Reflect.deleteProperty(value, key);
    else dropReservedKeys(inner);
  }
}

/** By index: the names of a long list's elements cost more than all else. */
function checkElements(
  values: readonly unknown[],
  path: readonly PropertyKey[],
  seen: Seen,
): Result<void, Issue> {
  for (const [index, inner] of values.entries()) {
    if (typeof inner === "string" && BRACES.test(inner)) seen.braces = true;
    if (isFine(inner)) continue;
    const checked = checkValue(inner, [...path, index], seen);
    if (!checked.ok) return checked;
  }
  return DONE;
}

/** True of a value that cannot be wrong and has nothing inside. */
function isFine(value: unknown): boolean {
  if (typeof value === "number")
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  if (typeof value === "string") return value.isWellFormed();
  return typeof value !== "object" || value === null;
}

function checkNumber(value: number, path: readonly PropertyKey[], isExact = false): Result<void, Issue> {
  if (isFine(value) || (isExact && Number.isFinite(value))) return DONE;
  if (!Number.isFinite(value))
    return err({ path: visiblePath(path), expected: "a finite number", received: "a number out of range" });
  return err({
    path: visiblePath(path),
    expected: "an integer within ±(2^53 - 1), or a string",
    received: "an integer that cannot be kept exactly",
  });
}

/** Half of a character has no UTF-8: what is sent would be another text, and the same for many. */
function loneSurrogate(path: readonly PropertyKey[], what: string): Issue {
  return {
    path: visiblePath(path),
    expected: "text of whole characters",
    received: `${what} with half of a character (a lone surrogate)`,
  };
}

const DONE = ok(undefined);
