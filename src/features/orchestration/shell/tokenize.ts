import { err, ok, type Result } from "../../../feature/refuse.ts";

/**
 * One word, quotes removed. The shell's value of an expansion is unknown here, so a word says what it *could* become.
 */
export interface Word {
  readonly kind: "word";
  /** Quotes and escapes removed; an expansion stands as it was written. */
  readonly text: string;
  /** As it was written. */
  readonly raw: string;
  /** Holds a variable, a glob or a brace expansion: `text` is not all there is to know. */
  readonly expands: boolean;
  /** Could become several words, or none. */
  readonly many: boolean;
  /** Could become a word that starts with `-` although it does not as written: `$x`, `"$x"`, `*`. */
  readonly wild: boolean;
}

/** An operator stands between commands. */
interface Operator {
  readonly kind: "operator";
  readonly text: string;
}

/** A redirection; its target is the word after it. */
interface Redirect {
  readonly kind: "redirect";
  readonly text: string;
  /** The digits before it, `2` in `2>`; empty when there were none. */
  readonly fd: string;
}

interface Comment {
  readonly kind: "comment";
  readonly text: string;
}

type Token = Word | Operator | Redirect | Comment;

/** The characters that end an unquoted word. */
const META = new Set(" \t\n;&|<>()");
/** `$name`, `${name}`, `$1`, `$?`: reads a variable and does nothing else, in every shell. */
const VARIABLE = /\$(?:[A-Za-z_][A-Za-z0-9_]*|\{(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+)\}|[0-9@*#?$!-])/y;
const ESCAPED_IN_QUOTES = new Set('$`"\\');

/** A word and where it ended, or why nothing that contains it can be proven harmless. */
type ReadWord = Result<{ readonly word: Word; readonly end: number }, string>;

/**
 * Read the word that starts at `start`, as a POSIX shell would.
 *
 * Refuses what runs a command (`$(…)`, backticks), what assigns or evaluates while it expands (`${x:=y}`, `${x@P}`,
 * `$[…]`), what shells read differently (`$'…'`), what an interactive shell replaces (`!x`) and what never ends. The
 * caller stops there: nothing after such a word could make the text read-only again.
 */
export function readWord(text: string, start: number): ReadWord {
  return new WordReader(text, start).read();
}

class WordReader {
  readonly #source: string;
  readonly #start: number;
  #at: number;
  #text = "";
  /** The unquoted characters alone, in which braces expand. */
  #bare = "";
  /** Within double quotes. */
  #quoted = false;
  #expands = false;
  #many = false;
  #wild = false;
  #braceIsWild = false;
  /** Whether the text begins like an option, once it has begun. */
  #isOption: boolean | undefined;

  constructor(source: string, start: number) {
    this.#source = source;
    this.#start = start;
    this.#at = start;
  }

  read(): ReadWord {
    while (this.#at < this.#source.length && (this.#quoted || !META.has(this.#source[this.#at]!))) {
      const problem = this.#readPiece();
      if (problem !== null) return err(problem);
    }
    if (this.#quoted) return err(UNCLOSED);
    const brace = this.#bare.indexOf("{");
    if (brace >= 0 && (this.#bare.includes(",", brace) || this.#bare.includes("..", brace))) {
      this.#expands = true;
      this.#many = true;
      this.#wild ||= this.#braceIsWild;
    }
    const word: Word = {
      kind: "word",
      text: this.#text,
      raw: this.#source.slice(this.#start, this.#at),
      expands: this.#expands,
      many: this.#many,
      wild: this.#wild,
    };
    return ok({ word, end: this.#at });
  }

  #readPiece(): string | null {
    const char = this.#source[this.#at]!;
    switch (char) {
      case '"':
        this.#quoted = !this.#quoted;
        this.#at += 1;
        return null;
      case "\\":
        return this.#readEscape();
      case "$":
        return this.#readDollar();
      case "`":
        return "a backtick runs a command";
      case "!":
        if (this.#recallsHistory()) return "an interactive shell replaces '!' by an earlier command";
        break;
      case "'":
        if (!this.#quoted) return this.#readSingleQuotes();
    }
    if (!this.#quoted) this.#readBare(char);
    this.#text += char;
    this.#at += 1;
    return null;
  }

  #readBare(char: string): void {
    if ("*?[".includes(char)) {
      this.#expands = true;
      this.#many = true;
      this.#wild ||= this.#couldBecomeOption();
    }
    if (char === "{") this.#braceIsWild ||= this.#couldBecomeOption();
    this.#bare += char;
  }

  #readSingleQuotes(): string | null {
    const end = this.#source.indexOf("'", this.#at + 1);
    if (end < 0) return UNCLOSED;
    this.#text += this.#source.slice(this.#at + 1, end);
    this.#at = end + 1;
    return null;
  }

  #readEscape(): string | null {
    const next = this.#source[this.#at + 1];
    if (next === undefined) return this.#quoted ? UNCLOSED : "the text ends in a backslash";
    const isKept = this.#quoted && !ESCAPED_IN_QUOTES.has(next);
    // A backslash before a newline joins the lines.
    if (next !== "\n") this.#text += isKept ? `\\${next}` : next;
    this.#at += 2;
    return null;
  }

  #readDollar(): string | null {
    const next = this.#source[this.#at + 1] ?? "";
    if (next === "(") return "'$(' runs a command or evaluates an expression";
    if (next === "[") return "'$[' evaluates an expression";
    if (!this.#quoted && (next === "'" || next === '"')) return `shells read '$${next}' differently`;
    VARIABLE.lastIndex = this.#at;
    const variable = VARIABLE.exec(this.#source)?.[0];
    if (variable === undefined) {
      if (next === "{") return "'${' with more than a name in it may assign or run something";
      if (/[=~^]/.test(next)) return `zsh expands a variable after '$${next}'`;
      this.#text += "$";
      this.#at += 1;
      return null;
    }
    if (this.#source[this.#at + variable.length] === "[") return "a subscript is evaluated as an expression";
    const splits = !this.#quoted || variable.endsWith("@");
    this.#expands = true;
    this.#many ||= splits;
    // Unquoted, its value is split: whatever stands before it, a later piece may start with a dash.
    this.#wild ||= splits || this.#couldBecomeOption();
    this.#text += variable;
    this.#at += variable.length;
    return null;
  }

  /** Whether what stands here so far leaves it to an expansion which option, if any, the word becomes. */
  #couldBecomeOption(): boolean {
    if (this.#text === "") return true;
    // Once: looking into a text that grows copies all of it each time.
    return (this.#isOption ??= this.#text.startsWith("-"));
  }

  #recallsHistory(): boolean {
    const next = this.#source[this.#at + 1];
    const isLiteral = this.#quoted ? /[\s="]/ : /[\s=]/;
    return next !== undefined && !isLiteral.test(next);
  }
}

const UNCLOSED = "a quote is not closed";

/** Longest first, so that `&&` is not read as `&` twice. */
const REDIRECTS = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"];
const OPERATORS = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n"];

/** The tokens up to the end, or up to what cannot be proven harmless; `stoppedAt` then says what that is. */
interface Tokens {
  readonly tokens: readonly Token[];
  readonly stoppedAt: string | null;
}

/**
 * Split shell text into words, operators, redirections and comments.
 *
 * Never throws, and takes time linear in the text. A here-document is a redirection like any other; its body is not
 * told apart from commands, because no text that has one counts as read-only.
 *
 * @example
 * tokenize("cat 'a b' | wc -l").tokens.map(({ text }) => text); // ["cat", "a b", "|", "wc", "-l"]
 */
export function tokenize(text: string): Tokens {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (char === " " || char === "\t") {
      at += 1;
    } else if (text.startsWith("\\\n", at)) {
      at += 2;
    } else if (char === "#") {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline;
      tokens.push({ kind: "comment", text: text.slice(at + 1, end) });
      at = end;
    } else if (text.startsWith("<(", at) || text.startsWith(">(", at)) {
      return { tokens, stoppedAt: `'${char}(' runs a command` };
    } else {
      const redirect = REDIRECTS.find((one) => text.startsWith(one, at));
      const operator = redirect ?? OPERATORS.find((one) => text.startsWith(one, at));
      if (operator !== undefined) {
        tokens.push(
          redirect === undefined
            ? { kind: "operator", text: operator }
            : { kind: "redirect", text: operator, fd: "" },
        );
        at += operator.length;
        continue;
      }
      const read = readWord(text, at);
      if (!read.ok) return { tokens, stoppedAt: read.error };
      const { word, end } = read.value;
      at = end;
      if (!/^\d+$/.test(word.raw) || (text[at] !== "<" && text[at] !== ">")) {
        tokens.push(word);
        continue;
      }
      if (text[at + 1] === "(") return { tokens, stoppedAt: `'${text[at]}(' runs a command` };
      const numbered = REDIRECTS.find((one) => text.startsWith(one, at))!;
      tokens.push({ kind: "redirect", text: numbered, fd: word.raw });
      at += numbered.length;
    }
  }
  return { tokens, stoppedAt: null };
}
