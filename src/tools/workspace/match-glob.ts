import { err, ok, type Result } from "../../core/kit/result.ts";

/** Alternatives of one pattern's braces: `{a,b}{c,d}` are four. */
const MAX_ALTERNATIVES = 64;
/** Comparisons of one search: half a second of a processor, and a thousand for each of as many files as there can be. */
const MAX_WORK = 10_000_000;

/**
 * Give the normalised paths that fit a pattern: `*` and `?` are any characters but a slash, `[a-z]` and `[!a-z]` one of a set, `**`
 * any number of folders, `{a,b}` either. A leading dot is a character like any other. Refuses, in a sentence, what has too many
 * alternatives or takes too long.
 *
 * Among two stars only the later one is ever tried again, because whatever the earlier one could take, the later one can: so the
 * time for a path is at most the pattern's length times the path's, for each alternative, and it is counted besides.
 */
export function matchGlob(pattern: string, paths: readonly string[]): Result<string[], string> {
  const alternatives = expandBraces(pattern.normalize("NFC"));
  if (alternatives === null)
    return err(`The pattern's braces are more than ${MAX_ALTERNATIVES} alternatives; use fewer of them.`);
  const globs = alternatives.map((one) =>
    one
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .map((part) => (part === "**" ? ANY_FOLDERS : toTokens(part))),
  );
  let work = 0;
  const parts: Stars<Token, string> = {
    isStar: (token) => token === STAR,
    fits: (token, character) => (work += 1) <= MAX_WORK && token(character),
  };
  const whole: Stars<readonly Token[], readonly string[]> = {
    isStar: (part) => part === ANY_FOLDERS,
    fits: (tokens, part) => matchStars(tokens, part, parts),
  };
  const matching = paths.filter((path) => {
    const list = path.split("/").map((part) => Array.from(part));
    return globs.some((glob) => matchStars(glob, list, whole));
  });
  return work <= MAX_WORK
    ? ok(matching)
    : err("The pattern takes too long over this many files; use fewer stars and braces.");
}

/** The part of a pattern in place of one character; a star takes any number. */
type Token = (character: string) => boolean;

const STAR: Token = () => true;
const ANY_FOLDERS: readonly Token[] = [];

interface Stars<P, T> {
  readonly isStar: (part: P) => boolean;
  readonly fits: (part: P, element: T) => boolean;
}

/** Match a list against a pattern in which stars take any number of its elements. */
function matchStars<P, T>(pattern: readonly P[], list: readonly T[], { isStar, fits }: Stars<P, T>): boolean {
  let [at, next, star, taken] = [0, 0, -1, 0];
  while (next < list.length) {
    if (at < pattern.length && isStar(pattern[at]!)) [star, taken, at] = [at, next, at + 1];
    else if (at < pattern.length && fits(pattern[at]!, list[next]!)) [at, next] = [at + 1, next + 1];
    else if (star === -1) return false;
    else [taken, at, next] = [taken + 1, star + 1, taken + 1];
  }
  while (at < pattern.length && isStar(pattern[at]!)) at += 1;
  return at === pattern.length;
}

function toTokens(part: string): Token[] {
  const tokens: Token[] = [];
  for (const [text, set] of part.matchAll(/\[((?:[!^]\]?|\])?[^\]]*)\]|\*+|./gsu)) {
    if (set !== undefined) tokens.push(toSet(set));
    else if (text.startsWith("*")) tokens.push(STAR);
    else tokens.push(text === "?" ? () => true : (character) => character === text);
  }
  return tokens;
}

/** `a-z_` or `!a-z_`. */
function toSet(set: string): Token {
  const isOther = /^[!^]/.test(set);
  const ranges = [...(isOther ? set.slice(1) : set).matchAll(/(.)-(.)|./gsu)].map(
    ([one, from, to]) => [from ?? one, to ?? one] as const,
  );
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isOther;
}

/** Write a pattern without braces, as all that it stands for; null where that is too many. One that is not closed is text. */
function expandBraces(pattern: string): string[] | null {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    if (open.length + done.length > MAX_ALTERNATIVES) return null;
    const next: string[] = [];
    for (const one of open) {
      // The innermost first, so that those inside of others need no counting.
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(one);
      if (braces === null) done.push(one);
      else {
        const before = one.slice(0, braces.index);
        const after = one.slice(braces.index + braces[0].length);
        next.push(...braces[1]!.split(",").map((choice) => before + choice + after));
      }
    }
    open = next;
  }
  return done.length > MAX_ALTERNATIVES ? null : done;
}
