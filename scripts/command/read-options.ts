import { parseArgs } from "node:util";

import { nearest } from "../../src/core/kit/nearest.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { CommandError } from "./command-error.ts";
import type { Options, Syntax, Values } from "./define-command.ts";
import { writeUsage } from "./help-text.ts";

/** Whether the words ask for help. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

/** Read the words behind a call by its syntax. The platform's messages about wrong ones speak of its own rules. */
export function readOptions<O extends Options>(
  syntax: Syntax<O>,
  words: readonly string[],
): { readonly values: Values<O>; readonly positionals: readonly string[] } {
  const { positionals: taken = [] } = syntax;
  const options: Options = syntax.options;
  const name = syntax.call.replace(/ --$/, "");
  const help = `'${syntax.call} --help' says what it takes.`;
  const refuse = (message: string): CommandError => new CommandError(`${message} ${help}`);
  const guess = (word: string): string => {
    const [meant] = nearest(word, Object.keys(options), 1);
    return meant === undefined ? "" : ` Did you mean --${meant}?`;
  };
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, (string | true)[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    const shown = visibleText(token.rawName);
    if (option === undefined) throw refuse(`${name} has no option ${shown}.${guess(token.name)}`);
    if (option.type === "string" && (token.value === undefined || isOption(token.value, token.inlineValue)))
      throw refuse(`${shown} needs a value: ${shown} ${option.value}.`);
    if (option.type === "boolean" && token.value !== undefined) throw refuse(`${shown} takes no value.`);
    given.set(token.name, [...(given.get(token.name) ?? []), token.value ?? true]);
  }
  const values: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(options)) {
    const all = given.get(key) ?? [];
    if (option.type === "boolean") values[key] = all.length > 0;
    else if (option.isMultiple === true) values[key] = all;
    else if (all.length === 0 && option.isRequired === true)
      throw refuse(`--${key} ${option.value} is missing: ${writeUsage(syntax)}.`);
    else values[key] = all.at(-1) ?? option.default;
  }
  const missing = taken.find(
    ({ isOptional, isMultiple }, at) => !(isOptional ?? isMultiple ?? false) && positionals[at] === undefined,
  );
  if (missing !== undefined) throw refuse(`${missing.name} is missing: ${writeUsage(syntax)}.`);
  const extra = taken.at(-1)?.isMultiple === true ? undefined : positionals[taken.length];
  if (extra !== undefined) throw refuse(`${name} does not take '${visibleText(extra)}'.${guess(extra)}`);
  return { values: values as Values<O>, positionals };
}

/** `--file --prune` is a value that was forgotten; `--file=--prune` is one that begins like an option. */
const isOption = (value: string, isInline: boolean | undefined): boolean =>
  isInline !== true && value.startsWith("-") && value.length > 1;
