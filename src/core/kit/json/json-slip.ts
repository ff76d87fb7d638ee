/** Where text stops being JSON, as an offset in UTF-16 units, and a clause that says why and what to write instead. */
export interface JsonSlip {
  readonly at: number;
  readonly what: string;
}

/**
 * Find the first place where text stops being JSON (RFC 8259); null when it is JSON.
 *
 * For text that a parser has refused: a parser says that something is wrong, this says which of the usual slips it is. Only
 * single characters and words of other languages (`None`, `NaN`) are repeated, never what the text says. One pass; it
 * recurses as deep as the text nests, so that has to be bounded before.
 */
export function findJsonSlip(text: string): JsonSlip | null {
  return new Scanner(text).scan();
}

/** Write an offset as people count: lines and columns from 1. */
export function toLineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

const CUT_OFF = "the text ends too early, so it was cut off or something is not closed";
const NO_COMMENTS = "JSON has no comments, so take it out";
const DOUBLE_QUOTES = `text stands in double quotes (")`;

/** Words of other languages, and what JSON says instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  None: "null",
  nil: "null",
  NULL: "null",
  Null: "null",
  undefined: "null, or leave the field out",
  NaN: "null, or a number",
  Infinity: "a number that is not endless",
  True: "true",
  TRUE: "true",
  False: "false",
  FALSE: "false",
};

const WORD = /[A-Za-z_$][\w$]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Everything from the space on but a quote and a backslash. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;
const UNSEEN = /^[\p{Cc}\p{Cf}\p{Zs}\p{Default_Ignorable_Code_Point}]$/u;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonSlip | null {
    if (this.#text.startsWith("```"))
      return this.#slip("the JSON stands in a code fence, so send what is inside only");
    const slip = this.#value();
    if (slip !== null) return slip;
    this.#skip(SPACE);
    const next = this.#next;
    if (next === "") return null;
    if (next === "}" || next === "]") return this.#slip(`there is one '${next}' too many`);
    if (next === "," || '{["'.includes(next))
      return this.#slip(
        "the JSON is over and a second document begins, so send one value, several as an array",
      );
    return this.#stray() ?? this.#slip("the JSON is over and something follows it, so take that out");
  }

  /** The character that comes next; empty at the end. */
  get #next(): string {
    return this.#text.charAt(this.#at);
  }

  #slip(what: string): JsonSlip {
    return { at: this.#at, what };
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #value(): JsonSlip | null {
    this.#skip(SPACE);
    const next = this.#next;
    if (next === "{") return this.#inside("}");
    if (next === "[") return this.#inside("]");
    if (next === '"') return this.#string();
    if (this.#skip(NUMBER) !== "") return this.#afterNumber();
    const at = this.#at;
    const word = this.#skip(WORD);
    if (["true", "false", "null"].includes(word)) return null;
    this.#at = at;
    if (word !== "") return this.#foreign(word);
    if (next === "," || next === ":" || next === "]" || next === "}")
      return this.#slip(`a value is missing before '${next}'`);
    if (/[-+.]/.test(next)) return this.#slip("a number begins with a digit, or with a minus and a digit");
    if (next === "<") return this.#slip("a '<' begins no JSON, so this may be HTML or XML");
    return this.#stray() ?? this.#slip("this begins no JSON value");
  }

  #foreign(word: string): JsonSlip {
    const instead = Object.hasOwn(FOREIGN, word) ? FOREIGN[word] : undefined;
    return instead === undefined
      ? this.#slip(`a word without quotes is no value, ${DOUBLE_QUOTES}`)
      : this.#slip(`${word} is no JSON, write ${instead}`);
  }

  /** The fault of the next character wherever it stands outside a string; null when nothing is known of it. */
  #stray(): JsonSlip | null {
    const next = this.#next;
    if (next === "") return this.#slip(CUT_OFF);
    if (next === "'" || next === "`")
      return this.#slip(`${DOUBLE_QUOTES}, not in ${next === "'" ? "single quotes" : "backticks"}`);
    if ("“”„‟‘’‚‛«»″′".includes(next))
      return this.#slip(`'${next}' is a typographic (smart) quote, ${DOUBLE_QUOTES}`);
    if (next === "#" || (next === "/" && "/*".includes(this.#text.charAt(this.#at + 1) || "-")))
      return this.#slip(NO_COMMENTS);
    if (UNSEEN.test(next)) {
      const code = next.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      return this.#slip(`an invisible character (U+${code}) stands there, so take it out`);
    }
    return null;
  }

  #afterNumber(): JsonSlip | null {
    const next = this.#next;
    if (/\d/.test(next)) return this.#slip("a number does not begin with 0 when more digits follow");
    if (next === ".") return this.#slip("a number's point stands between digits");
    if (/[A-Za-z_]/.test(next))
      return this.#slip(
        "a number is written in decimal digits alone, anything else as text in double quotes",
      );
    return null;
  }

  #string(): JsonSlip | null {
    const begin = this.#at;
    this.#at += 1;
    for (;;) {
      this.#skip(PLAIN);
      const next = this.#next;
      if (next === '"') break;
      if (next === "")
        return this.#slip(
          `the text ends too early, it was cut off inside the string of ${toLineAndColumn(this.#text, begin)}`,
        );
      if (next !== "\\") return this.#slip(sayControl(next));
      if (this.#skip(ESCAPE) !== "") continue;
      const escaped = this.#text.charAt(this.#at + 1);
      if (escaped === "") return this.#slip(CUT_OFF);
      return this.#slip(
        escaped === "u"
          ? "'\\u' needs four hexadecimal digits"
          : "this is an invalid escape, a backslash itself is written '\\\\'",
      );
    }
    this.#at += 1;
    return null;
  }

  /** Go through the elements of an array, or the fields of an object. */
  #inside(closing: "]" | "}"): JsonSlip | null {
    const begin = this.#at;
    this.#at += 1;
    this.#skip(SPACE);
    if (this.#next === closing) return this.#step();
    for (;;) {
      const slip = closing === "]" ? this.#value() : this.#field();
      if (slip !== null) return slip;
      const end = this.#separator(closing, begin);
      if (end !== "next") return end;
    }
  }

  #field(): JsonSlip | null {
    this.#skip(SPACE);
    const slip = this.#next === '"' ? this.#string() : this.#misnamed();
    if (slip !== null) return slip;
    this.#skip(SPACE);
    if (this.#next !== ":")
      return this.#stray() ?? this.#slip("a colon (:) stands between a field's name and its value");
    this.#at += 1;
    return this.#value();
  }

  #misnamed(): JsonSlip {
    return this.#stray() ?? this.#slip("a field's name is unquoted and has to stand in double quotes");
  }

  #step(): null {
    this.#at += 1;
    return null;
  }

  /** Go past the comma to what follows, or past the end. */
  #separator(closing: "]" | "}", begin: number): JsonSlip | null | "next" {
    const before = this.#text.charAt(this.#at - 1);
    this.#skip(SPACE);
    const next = this.#next;
    if (next === closing) return this.#step();
    if (next === ",") {
      this.#at += 1;
      this.#skip(SPACE);
      if (this.#next === closing)
        return this.#slip(`a trailing comma stands before '${closing}', so take it out`);
      return this.#next === "," ? this.#slip("there are two commas, so take one out") : "next";
    }
    const kind = closing === "]" ? "array" : "object";
    if (next === "")
      return this.#slip(
        `the text ends too early, it was cut off or the ${kind} of ${toLineAndColumn(this.#text, begin)} is not closed`,
      );
    if (next === "]" || next === "}")
      return this.#slip(`'${next}' closes no ${kind}, it ends with '${closing}'`);
    if (next === ";") return this.#slip("what stands in a row is separated by commas");
    if (before === '"' && /[\w(]/.test(next))
      return this.#slip(
        'a comma is missing, or the string before it holds a quote that has to be written \\"',
      );
    return this.#stray() ?? this.#slip("a comma is missing before this");
  }
}

function sayControl(character: string): string {
  const name = character === "\n" || character === "\r" ? "a line break" : "a control character";
  return `${name} inside a string is written ${JSON.stringify(character).slice(1, -1)}`;
}
