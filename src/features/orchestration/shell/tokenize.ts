import { readWord } from "./read-word.ts";
import type { Token } from "./token.ts";

/** Longest first, so that `&&` is not read as `&` twice. */
const REDIRECTS = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"];
const OPERATORS = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n"];

/** The tokens up to the end, or up to what cannot be proven harmless; `stoppedAt` then says what that is. */
export interface Tokens {
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
      const isNumber = /^\d+$/.test(word.raw) && (text[at] === "<" || text[at] === ">");
      if (!isNumber) {
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
