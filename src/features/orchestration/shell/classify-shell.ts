import { visibleText } from "../../../feature/schema.ts";
import { COMMANDS } from "./command-table.ts";
import { type Command, quoteText, splitCommands } from "./split-commands.ts";

/** Whether shell text only reads, and why. */
interface ShellVerdict {
  readonly readonly: boolean;
  readonly reason: string;
}

/** Where a command of the table may be called from by its path: only an administrator can write there. */
const STANDARD_PATH = /^(?:\/usr)?\/bin\//;

/**
 * Decide whether shell text is read-only: every command of it is one of the table, used in a way that only reads.
 *
 * Nothing else counts: what is not recognised, hidden in quotes or left for the shell to fill in is mutating. A mistake
 * that way costs a few milliseconds of waiting, the other way it runs a write beside a read. Text is read as a POSIX
 * shell, bash or zsh would run it; that a command of the table is really that command (no alias, no function, an
 * honest `PATH` and configuration) has to be taken on trust.
 *
 * A command that never ends (`tail -f`, `docker logs -f`) reads all the same: ending it is the deadline's business.
 *
 * @example
 * classifyShell("cat a | grep b"); // { readonly: true, reason: "cat, grep only read" }
 */
export function classifyShell(text: string): ShellVerdict {
  const suspect = findSuspectCharacter(text);
  if (suspect !== null) return mutating(`the text holds ${visibleText(`'${suspect}'`)}`);
  const commands = splitCommands(text);
  if (!commands.ok) return mutating(commands.error);
  for (const command of commands.value) {
    const problem = checkCommand(command);
    if (problem !== null) return mutating(problem);
  }
  const names = [...new Set(commands.value.map(([{ text }]) => text))];
  const shown = visibleText(names.join(", "), 120);
  return { readonly: true, reason: `${shown} only ${names.length === 1 ? "reads" : "read"}` };
}

function mutating(reason: string): ShellVerdict {
  return { readonly: false, reason };
}

/** A name in quotes or escapes is not looked up: a caller that means `cat` does not write `c\at`. */
function checkCommand([name, ...args]: Command): string | null {
  const check = name.raw === name.text ? COMMANDS.get(name.text.replace(STANDARD_PATH, "")) : undefined;
  return check === undefined ? `${quoteText(name.raw)} is not on the read-only list` : check(args);
}

/**
 * Characters that a terminal acts on, and characters that look like, or may be converted to, something a shell acts
 * on: controls, invisible and bidirectional marks, odd spaces, dashes and quotes, private and unassigned code points.
 */
const SUSPECT = /[\p{C}\p{Z}\p{Pd}\p{Pi}\p{Pf}]/u;
const HARMLESS = new Set("\n\t -");
const ASCII = /\p{ASCII}/u;

/**
 * Find a character that makes shell text impossible to trust by reading it, or null.
 *
 * Tab and newline are the only controls a command needs. A full-width `；` is not an operator to a shell, but it becomes
 * one where text is converted on its way (compatibility normalisation, Windows' best fit), so whatever normalises to
 * ASCII is suspect; letters of any script are not.
 */
export function findSuspectCharacter(text: string): string | null {
  for (const char of text) {
    if (HARMLESS.has(char)) continue;
    if (SUSPECT.test(char)) return char;
    if (!ASCII.test(char) && ASCII.test(char.normalize("NFKC"))) return char;
  }
  return null;
}
