import { err, ok, type Result } from "../../../core/kit/result.ts";
import { type CharSet, escapeSet, LINE_ENDS, negate, readClass } from "./char-set.ts";

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
