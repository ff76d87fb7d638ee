import { parseArgs } from "node:util";

import { nearest } from "../../src/core/kit/nearest.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { CommandError } from "./command-error.ts";
import { COMMANDS } from "./commands.ts";
import type { Call, Command, ExitCode, Option } from "./define-command.ts";
import { EVERYWHERE, writeHelp, writeOverview, writeUsage } from "./help-text.ts";
import { openTerminal } from "./terminal.ts";

/** Run what the words of a command line ask for, and print what comes of it. Never throws. */
export async function runCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ExitCode> {
  const terminal = openTerminal(words.includes("--json"));
  try {
    const command = COMMANDS.find(({ words: own }) => own.split(" ").every((word, at) => words[at] === word));
    if (command === undefined) return answerWithout(words);
    const rest = words.slice(command.words.split(" ").length);
    if (rest.includes("--help") || rest.includes("-h")) {
      console.log(writeHelp(command));
      return 0;
    }
    const { values, positionals } = readWords(command, rest);
    return await command.run({ values, positionals, terminal, env, folder: whereCalled(command, env) });
  } catch (error) {
    const message = error instanceof Error ? sayError(error) : String(error);
    terminal.give({ ok: false, error: message });
    if (!terminal.isJson) console.error(message);
    return error instanceof CommandError ? error.exitCode : 2;
  }
}

/** Answer a command line that names no command: with the overview, or with those that it may have meant. */
function answerWithout(words: readonly string[]): ExitCode {
  const [first = "", second = ""] = words;
  const group = COMMANDS.filter(({ words: own }) => own.startsWith(`${first} `));
  const isAsked = words.includes("--help") || words.includes("-h") || first === "help";
  if (isAsked || (words.length === 0 && group.length === 0)) {
    console.log(writeOverview(group.length === 0 ? COMMANDS : group));
    return isAsked ? 0 : 2;
  }
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
  commands.map((command) => `\n  ${writeUsage(command)}`).join("");

/** Read a command's words by its declaration. The platform's messages about wrong ones speak of its own rules. */
function readWords(command: Command, words: readonly string[]): Pick<Call, "values" | "positionals"> {
  const options: Readonly<Record<string, Option>> = { ...command.options, ...EVERYWHERE };
  const help = `'volley ${command.words} --help' says what it takes.`;
  const { tokens } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | boolean> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    const shown = visibleText(token.rawName);
    if (option === undefined) {
      const [meant] = nearest(token.name, Object.keys(options), 1);
      const guess = meant === undefined ? "" : ` Did you mean --${meant}?`;
      throw new CommandError(`volley ${command.words} has no option ${shown}.${guess} ${help}`);
    }
    if (option.type === "string" && (token.value === undefined || isOption(token.value, token.inlineValue)))
      throw new CommandError(`${shown} needs a value: ${shown} ${option.value}. ${help}`);
    if (option.type === "boolean" && token.value !== undefined)
      throw new CommandError(`${shown} takes no value. ${help}`);
    values[token.name] = token.value ?? true;
  }
  for (const [name, option] of Object.entries(options))
    values[name] ??= (option.type === "boolean" ? false : option.default) as string;
  const { positionals: taken = [] } = command;
  const missing = taken.find(({ isOptional }, at) => isOptional !== true && positionals[at] === undefined);
  if (missing !== undefined)
    throw new CommandError(`${missing.name} is missing: ${writeUsage(command)}. ${help}`);
  const extra = positionals[taken.length];
  if (extra !== undefined)
    throw new CommandError(`volley ${command.words} does not take '${visibleText(extra)}'. ${help}`);
  return { values: values as Call["values"], positionals };
}

/** `--file --prune` is a value that was forgotten; `--file=--prune` is one that begins like an option. */
const isOption = (value: string, isInline: boolean | undefined): boolean =>
  isInline !== true && value.startsWith("-") && value.length > 1;

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
