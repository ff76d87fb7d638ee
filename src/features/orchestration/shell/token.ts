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
  /** Could become a word that starts with `-` although it is none as written: `$x`, `"$x"`, `*`. */
  readonly wild: boolean;
}

/** An operator stands between commands. */
export interface Operator {
  readonly kind: "operator";
  readonly text: string;
}

/** A redirection; its target is the word after it. */
export interface Redirect {
  readonly kind: "redirect";
  readonly text: string;
  /** The digits before it, `2` in `2>`; empty when there were none. */
  readonly fd: string;
}

export interface Comment {
  readonly kind: "comment";
  readonly text: string;
}

export type Token = Word | Operator | Redirect | Comment;
