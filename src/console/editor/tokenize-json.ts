export type TokenKind =
  | "open"
  | "close"
  | "comma"
  | "colon"
  | "string"
  | "number"
  | "word"
  | "comment"
  | "bad";

/** A piece of a text that is JSON or nearly. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Whether a text ends as it began; true of all that is no text. */
  readonly isClosed: boolean;
}

const PUNCTUATION: Readonly<Record<string, TokenKind>> = {
  "{": "open",
  "[": "open",
  "}": "close",
  "]": "close",
  ",": "comma",
  ":": "colon",
};

/** Quotes that people paste, each with what ends it. */
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "‘": "’", "`": "`" };

const SPACE = /[ \t\r\n\u00A0\uFEFF]*/y;
const NUMBER = /[-+.]?\d[\w.+-]*/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|#[^\n]*/y;

/** Take a text apart. Nothing is refused: every character but space is in a token, so that broken text can be read too. */
export function tokenizeJson(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : at;
  };
  const add = (kind: TokenKind, end: number, isClosed = true): void => {
    tokens.push({ kind, start: at, end, isClosed });
    at = end;
  };
  for (at = match(SPACE); at < text.length; at = match(SPACE)) {
    const first = text[at]!;
    const punctuation = PUNCTUATION[first];
    const quote = QUOTES[first];
    if (punctuation !== undefined) add(punctuation, at + 1);
    else if (quote !== undefined) addText(quote);
    else {
      const number = match(NUMBER);
      const word = match(WORD);
      const comment = match(COMMENT);
      if (number > at) add("number", number);
      else if (word > at) add("word", word);
      else if (comment > at) add("comment", comment);
      else add("bad", at + 1);
    }
  }
  return tokens;

  /** A text ends at its quote; one that has none ends with its line, so that what follows is still read. */
  function addText(quote: string): void {
    let end = at + 1;
    while (end < text.length && text[end] !== quote && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
    if (text[end] === quote) add("string", end + 1);
    else add("string", Math.min(end, text.length), false);
  }
}
