import { visibleText } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { tokenize, type Word } from "./tokenize.ts";

/** One simple command: its name and arguments. There is always a name. */
export type Command = readonly [Word, ...Word[]];

/**
 * Split shell text into the simple commands of its pipelines and lists, or say what else it does.
 *
 * Operators that join commands without doing anything themselves (`|`, `&&`, `||`, `;`, newlines) are taken apart; everything
 * else (background, subshells, groups, here-documents, comments, redirections that could write) refuses the text. So when every
 * command of the answer is read-only, the text is.
 */
export function splitCommands(text: string): Result<readonly Command[], string> {
  const { tokens, stoppedAt } = tokenize(text);
  const commands: Command[] = [];
  let words: Word[] = [];
  let awaited = false;
  let redirected = false;

  const finish = (): boolean => {
    const [name, ...args] = words;
    if (name === undefined) return false;
    commands.push([name, ...args]);
    words = [];
    redirected = false;
    return true;
  };

  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    switch (token.kind) {
      case "word":
        words.push(token);
        awaited = false;
        break;
      case "comment":
        return err("not every shell takes what stands behind '#' for a comment");
      case "redirect": {
        const target = tokens[at + 1];
        if (target?.kind !== "word" || !isHarmless(token.text, target))
          return err(`'${token.fd}${token.text}' is not proven harmless`);
        at += 1;
        redirected = true;
        break;
      }
      case "operator":
        if (token.text === "\n") {
          if (!finish() && redirected) return err(NO_NAME);
          break;
        }
        if (!JOINS.has(token.text)) return err(`'${token.text}' is not proven harmless`);
        if (!finish()) return err(`'${token.text}' stands after nothing`);
        awaited = token.text !== ";";
        break;
    }
  }
  if (stoppedAt !== null) return err(stoppedAt);
  if (!finish() && redirected) return err(NO_NAME);
  if (awaited) return err("the last command is missing");
  if (commands.length === 0) return err("there is no command");
  return ok(commands);
}

/** Zsh runs a command of its own choice there. */
const NO_NAME = "a redirection has no command";

const JOINS = new Set([";", "|", "&&", "||"]);

/** Whether a redirection reads a plain file, throws output away or joins the two outputs. */
function isHarmless(operator: string, target: Word): boolean {
  if (target.expands) return false;
  switch (operator) {
    case "<":
      // Bash opens a connection for /dev/tcp/…, and opening some devices does something.
      return target.text === "/dev/null" || !target.text.startsWith("/dev/");
    case ">":
    case ">>":
    case ">|":
    case "&>":
    case "&>>":
      return target.raw === "/dev/null";
    case ">&":
      return target.raw === "1" || target.raw === "2" || target.raw === "/dev/null";
    default:
      return false;
  }
}

/** Quote a piece of the caller's text for a reason. */
export function quoteText(text: string): string {
  return `'${visibleText(text, 40)}'`;
}
