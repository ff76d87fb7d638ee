import { utf8Length } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Problems } from "./problems.ts";

const POISONED = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Refuse what is too large or too deep to be looked at further, and what JSON cannot keep: keys that reach a prototype and
 * numbers that are not finite. It stops at the first of the former.
 */
export function checkText(value: unknown, problems: Problems): void {
  if (!checkDepth(value, [], problems)) return;
  const bytes = utf8Length(JSON.stringify(value) ?? "");
  if (bytes > LIMITS.declarationBytes)
    problems.add([], `at most ${LIMITS.declarationBytes} bytes of JSON`, value, {
      received: `${bytes} bytes`,
      hint: `A declaration takes at most ${LIMITS.declarationBytes} bytes of JSON; shorten descriptions, or leave out optional arguments.`,
    });
}

/** False where it is too deep: nothing may recur into it any more. */
function checkDepth(value: unknown, path: readonly PropertyKey[], problems: Problems): boolean {
  if (typeof value === "number" && !Number.isFinite(value))
    problems.add(path, "a finite number", value, { received: "a number out of range" });
  if (typeof value !== "object" || value === null) return true;
  if (path.length === LIMITS.nesting) {
    problems.add(path.slice(0, 8), `JSON of at most ${LIMITS.nesting} levels`, value, {
      received: "deeper JSON",
      hint: `A declaration may be nested ${LIMITS.nesting} levels deep at most; give deep parts a place in $defs.`,
    });
    return false;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (POISONED.has(key))
      problems.add([...path, key], "another name", inner, { received: "a reserved key" });
    if (!checkDepth(inner, [...path, key], problems)) return false;
  }
  return true;
}
