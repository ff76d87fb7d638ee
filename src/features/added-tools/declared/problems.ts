import { describe, nearest, utf8Length, visibleText } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Issue } from "../../../core/contract/failure.ts";
import { toHint, visiblePath } from "../../../core/contract/issues.ts";

/** One thing that is wrong with a declaration, and the sentence that says what to do about it. */
export interface DeclarationIssue extends Issue {
  readonly hint: string;
}

/** Further facts about a problem. */
interface Said {
  readonly hint?: string | undefined;
  /** The received value in words, where the value itself does not show it. */
  readonly received?: string;
}

/** All that is wrong with one declaration, up to a bound, because an author with more problems sends it anew. */
export class Problems {
  readonly issues: DeclarationIssue[] = [];

  /** @param value what stands at the path */
  add(path: readonly PropertyKey[], expected: string, value: unknown, { hint, received }: Said = {}): void {
    if (this.issues.length === LIMITS.declarationIssues) return;
    const issue = { path: visiblePath(path), expected, received: received ?? describe(value) };
    this.issues.push({ ...issue, hint: hint ?? toHint([issue]) });
  }
}

/** Say which of some names a misspelt one may have meant, or which there are. */
export function suggestName(name: string, known: readonly string[], what: string): string {
  const [near] = nearest(name, known, 1);
  const shown = `There is no ${what} '${visibleText(name)}'`;
  if (near !== undefined) return `${shown}; did you mean '${visibleText(near)}'?`;
  if (known.length === 0) return `${shown}, nor any other.`;
  const listed = known.slice(0, LISTED).map((each) => `'${visibleText(each)}'`);
  return `${shown}; there ${listed.length === 1 ? "is" : "are"} ${listed.join(", ")}${known.length > LISTED ? " and others" : ""}.`;
}

/** Names that are listed to an author whose own is like none of them. */
const LISTED = 10;

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
