import { RE2JS } from "re2js";

import { attemptNow, err, ok, type Result } from "../core/kit/result.ts";

/** A line that matches. */
export interface FoundLine {
  readonly path: string;
  /** The first is 1. */
  readonly line: number;
  /** The line, or what is around the match where it is long. */
  readonly text: string;
}

export interface Found {
  readonly matches: readonly FoundLine[];
  /** Not everything was looked at, or not everything that was found is here. */
  readonly isCut: boolean;
}

export interface SearchBounds {
  readonly matches: number;
  /** Characters of one line's text. */
  readonly lineCharacters: number;
}

/**
 * Characters that are looked at, times the size of the pattern's program: what a search costs, at most about five seconds of a
 * processor.
 */
const MAX_WORK = 30_000_000;

const PLAIN = /^[\w\s"'`~!@#%&=:;<>,/-]+$/u;

/**
 * Find the lines of some files in which a pattern matches, in the order of the files; or say in a sentence why the pattern is none.
 *
 * RE2 matches in time linear in the text, whatever the pattern, and the work of one search is bounded besides. A pattern without
 * any special character is looked for as it is. A file that is not UTF-8, or holds a NUL, has no lines.
 */
export function findLines(
  pattern: string,
  files: readonly { readonly path: string; readonly content: Uint8Array }[],
  { matches: most, lineCharacters }: SearchBounds,
): Result<Found, string> {
  const compiled = attemptNow(() => compile(pattern));
  if (!compiled.ok) return err(UNREADABLE);
  const { find, cost } = compiled.value;
  const matches: FoundLine[] = [];
  let work = 0;
  for (const { path, content } of files) {
    const text = decode(content);
    let number = 0;
    for (const line of text?.split(/\r?\n/) ?? []) {
      number += 1;
      work += line.length * cost;
      if (work > MAX_WORK) return ok({ matches, isCut: true });
      const at = find(line);
      if (at === -1) continue;
      if (matches.length === most) return ok({ matches, isCut: true });
      matches.push({ path, line: number, text: around(line, at, lineCharacters) });
    }
  }
  return ok({ matches, isCut: false });
}

const UNREADABLE =
  "The pattern cannot be read as a regular expression (RE2: no lookaround, no backreferences); put a backslash before . * + ? ( ) [ ] { } | ^ $ where the character itself is meant.";

interface Compiled {
  /** Where in a line it matches first, or -1. */
  readonly find: (line: string) => number;
  /** The cost of a character. */
  readonly cost: number;
}

function compile(pattern: string): Compiled {
  if (PLAIN.test(pattern)) return { find: (line) => line.indexOf(pattern), cost: 1 };
  const expression = RE2JS.compile(pattern);
  const find = (line: string): number => {
    const matcher = expression.matcher(line);
    return matcher.find() ? matcher.start() : -1;
  };
  return { find, cost: expression.programSize() };
}

function decode(content: Uint8Array): string | null {
  if (content.includes(0)) return null;
  const decoded = attemptNow(() =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(content),
  );
  return decoded.ok ? decoded.value : null;
}

/** Not between the halves of a pair. */
function around(line: string, at: number, most: number): string {
  if (line.length <= most) return line;
  const start = Math.max(0, Math.min(at - (most >> 2), line.length - most));
  const shown = line
    .slice(start, start + most)
    .toWellFormed()
    .replaceAll("\ufffd", "");
  return `${start > 0 ? "…" : ""}${shown}${start + most < line.length ? "…" : ""}`;
}
