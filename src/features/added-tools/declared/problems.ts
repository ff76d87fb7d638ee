import type { Issue } from "../../../core/contract/failure.ts";
import { describe, toHint, visiblePath } from "../../../core/contract/issues.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { nearest } from "../../../core/kit/nearest.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";

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
