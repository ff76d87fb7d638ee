import { readFile } from "node:fs/promises";

import { nearest } from "../../src/core/kit/nearest.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { CommandError } from "./command-error.ts";
import { COMMANDS } from "./commands.ts";
import { type Command, type ExitCode, syntaxOf } from "./define-command.ts";
import { writeHelp, writeOverview, writeUsage } from "./help-text.ts";
import { asksForHelp, readOptions } from "./read-options.ts";
import { openTerminal } from "./terminal.ts";

/** Run what the words of a command line ask for, and print what comes of it. Never throws. */
export async function runCommand(
  typed: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ExitCode> {
  const terminal = openTerminal(typed.includes("--json"));
  try {
    const words = typed[0] === "help" ? [...typed.slice(1), "--help"] : typed;
    if (words[0] === "--version" || words[0] === "-v") {
      console.log(await readVersion());
      return 0;
    }
    const command = findCommand(words);
    if (command === undefined) return answerWithout(words);
    const rest = words.slice(command.words.split(" ").length);
    if (asksForHelp(rest)) {
      console.log(writeHelp(syntaxOf(command)));
      return 0;
    }
    const { values, positionals } = readOptions(syntaxOf(command), rest);
    return await command.run({ values, positionals, terminal, env, folder: whereCalled(command, env) });
  } catch (error) {
    const message = error instanceof Error ? sayError(error) : String(error);
    terminal.give({ ok: false, error: message });
    if (!terminal.isJson) console.error(message);
    return error instanceof CommandError ? error.exitCode : 2;
  }
}

const findCommand = (words: readonly string[]): Command | undefined =>
  COMMANDS.find(({ words: own }) => own.split(" ").every((word, at) => words[at] === word));

/** The manifest is as far from the sources as from the built command. */
async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** Answer a command line that names no command: with the overview, or with those that it may have meant. */
function answerWithout(words: readonly string[]): ExitCode {
  const [first = "", second = ""] = words;
  const group = COMMANDS.filter(({ words: own }) => own.startsWith(`${first} `));
  const isAsked = asksForHelp(words);
  if (isAsked || (words.length === 0 && group.length === 0)) {
    console.log(writeOverview(group.length === 0 ? COMMANDS : group));
    return isAsked ? 0 : 2;
  }
  const behind = words.slice(words.findIndex((word) => !word.startsWith("-")));
  const meantCommand = first.startsWith("-") ? findCommand(behind) : undefined;
  if (meantCommand !== undefined)
    throw new CommandError(
      `${visibleText(first)} is in front, and options come behind the command: volley ${meantCommand.words} ${visibleText(first)}.`,
    );
  if (group.length > 0) {
    const names = group.map(({ words: own }) => own.split(" ")[1]!);
    const said = second === "" || second.startsWith("-") ? "" : `, and '${visibleText(second)}' is none`;
    throw new CommandError(`volley ${first} takes one of ${names.join(", ")}${said}: ${linesOf(group)}`);
  }
  const [meant] = nearest(first, new Set(COMMANDS.map(({ words: own }) => own.split(" ")[0]!)), 1);
  const guess = meant === undefined ? "" : ` Did you mean 'volley ${meant}'?`;
  throw new CommandError(
    `volley has no command '${visibleText(first)}'.${guess} 'volley --help' lists its commands.`,
  );
}

const linesOf = (commands: readonly Command[]): string =>
  commands.map((command) => `\n  ${writeUsage(syntaxOf(command))}`).join("");

/** npm runs a script in the package's folder; files are meant from where one stands. */
function whereCalled(
  { words }: Command,
  { npm_lifecycle_event: script, INIT_CWD: from }: NodeJS.ProcessEnv,
): string {
  return script !== undefined && from !== undefined && words.split(" ")[0] === script ? from : process.cwd();
}

/** Say an error in a sentence. An error that no command expects is a mistake of ours, and says so. */
function sayError(error: Error): string {
  const isOurs = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return isOurs
    ? `volley has a mistake: ${error.message}. Please report it with the command.`
    : error.message;
}
