import { err, ok, type Result } from "../../../feature/refuse.ts";

/** Characters, as ranges of code points, both ends included. */
export type CharSet = readonly (readonly [from: number, to: number])[];

const LAST = 0x10_ff_ff;

/** Every character: also what is not known exactly, because more characters only make a pattern look worse than it is. */
const ANY: CharSet = [[0, LAST]];

/** The characters that `.` does not match. */
const LINE_ENDS: CharSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x20_28, 0x20_29],
];

const DIGITS: CharSet = [[0x30, 0x39]];
const WORD: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
];

/** All other characters. */
function negate(set: CharSet): CharSet {
  const others: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set.toSorted(([a], [b]) => a - b)) {
    if (from > next) others.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST) others.push([next, LAST]);
  return others;
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, b: 8, 0: 0 };

function escapeSet(escape: string): CharSet {
  const kind = escape[1]!;
  if ("dws".includes(kind)) return kind === "d" ? DIGITS : kind === "w" ? WORD : SPACE;
  if ("DWS".includes(kind)) return negate(escapeSet(`\\${kind.toLowerCase()}`));
  if ("pPc".includes(kind)) return ANY;
  const hex = /^\\[ux]\{?([\da-fA-F]+)\}?$/.exec(escape)?.[1];
  const code = hex === undefined ? (CONTROLS[kind] ?? escape.codePointAt(1)!) : Number.parseInt(hex, 16);
  // Half of a pair may be one character together with what is behind it.
  return code >= 0xd8_00 && code <= 0xdf_ff ? ANY : [[code, code]];
}

const MEMBER = /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])|[^\\]/gu;

/** The characters of a class, given what stands between its brackets. */
function readClass(source: string): CharSet {
  const isNegated = source.startsWith("^");
  const members = Array.from(source.slice(isNegated ? 1 : 0).matchAll(MEMBER), ([member]) => member);
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const set = memberSet(members[at]!);
    if (members[at + 1] === "-" && at + 2 < members.length) {
      ranges.push([set[0]![0], memberSet(members[at + 2]!).at(-1)![1]]);
      at += 2;
    } else ranges.push(...set);
  }
  // More characters are the safe side, and of what is left out they would be the wrong one.
  if (ranges.some(([from, to]) => from === 0 && to === LAST)) return ANY;
  return isNegated ? negate(ranges) : ranges;
}

function memberSet(member: string): CharSet {
  if (member.startsWith("\\")) return escapeSet(member);
  const code = member.codePointAt(0)!;
  return [[code, code]];
}

/** A regular expression, as far as it matters for how it is searched for. */
export type Pattern =
  | { readonly kind: "empty" }
  /** `^`: what begins with it is tried at one place only. */
  | { readonly kind: "start" }
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly Pattern[] }
  | { readonly kind: "repeat"; readonly part: Pattern; readonly min: number; readonly max: number }
  | { readonly kind: "ahead"; readonly part: Pattern };

/**
 * Read a pattern of ECMAScript (with the flag `u`, and valid). A backreference or a lookbehind, which can only be answered by
 * looking back, is refused by name; a set that is not known exactly (`\p{…}`) is taken for any character, which can only make a
 * pattern look worse than it is.
 */
export function parsePattern(source: string): Result<Pattern, string> {
  const reader = new Reader(source);
  const pattern = reader.readChoice();
  return reader.refused === null ? ok(pattern) : err(reader.refused);
}

class Reader {
  refused: string | null = null;
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readChoice(): Pattern {
    const parts = [this.#readSequence()];
    while (this.#take("|")) parts.push(this.#readSequence());
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #readSequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!))
      parts.push(this.#readRepeat(this.#readAtom()));
    return parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
  }

  #readRepeat(part: Pattern): Pattern {
    const [text, from, comma, to] = this.#match(/[*+?]|\{(\d+)(,)?(\d*)\}/y) ?? [];
    if (text === undefined) return part;
    this.#take("?");
    if (text === "*") return { kind: "repeat", part, min: 0, max: Number.POSITIVE_INFINITY };
    if (text === "+") return { kind: "repeat", part, min: 1, max: Number.POSITIVE_INFINITY };
    if (text === "?") return { kind: "repeat", part, min: 0, max: 1 };
    const min = Number(from);
    const max = comma === undefined ? min : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    return { kind: "repeat", part, min, max };
  }

  #readAtom(): Pattern {
    if (this.#take("(")) return this.#readGroup();
    if (this.#take("^")) return { kind: "start" };
    if (this.#take("$")) return EMPTY;
    if (this.#take(".")) return { kind: "set", set: negate(LINE_ENDS) };
    const found = this.#match(/\[(?:\\[^]|[^\]\\])*\]/y);
    if (found !== null) return { kind: "set", set: readClass(found[0].slice(1, -1)) };
    if (this.#source[this.#at] === "\\") return this.#readEscape();
    const code = this.#source.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return { kind: "set", set: [[code, code]] };
  }

  #readGroup(): Pattern {
    const [opening = ""] = this.#match(/\?(?::|<?[=!]|<[^>]*>|[^:]*:)/y) ?? [];
    if (/^\?<[=!]/.test(opening)) this.refused = "a lookbehind";
    else if (/^\?[a-z-]/.test(opening)) this.refused = "flags inside the pattern";
    const part = this.readChoice();
    this.#take(")");
    return /^\?[=!]/.test(opening) ? { kind: "ahead", part } : part;
  }

  #readEscape(): Pattern {
    if (this.#match(/\\[bB]/y) !== null) return EMPTY;
    const [text] = this.#match(
      /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])/y,
    )!;
    if (/^\\[1-9k]/.test(text)) this.refused = "a backreference";
    return { kind: "set", set: escapeSet(text) };
  }

  #take(text: string): boolean {
    const isThere = this.#source.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}

const EMPTY: Pattern = { kind: "empty" };
