import { CommandError } from "./command-error.ts";
import type { Options, Syntax, Values } from "./define-command.ts";
import { writeHelp } from "./help-text.ts";
import { asksForHelp, readOptions } from "./read-options.ts";

const HELP = { help: { type: "boolean", about: "say this, and do nothing" } } as const satisfies Options;

/**
 * Read the options of a script of this repository, as those of a command are read. Prints its help and ends with 0 where that is
 * asked for; says a slip in a sentence and ends with 2.
 */
export function readScript<const O extends Options>(
  script: Syntax<O>,
): { readonly values: Values<O>; readonly positionals: readonly string[] } {
  const words = process.argv.slice(2);
  const syntax: Syntax = { ...script, options: { ...script.options, ...HELP } };
  if (asksForHelp(words)) {
    console.log(writeHelp(syntax));
    process.exit(0);
  }
  try {
    const { values, positionals } = readOptions(syntax, words);
    const own = Object.keys(script.options).map((name) => [name, values[name]]);
    return { values: Object.fromEntries(own) as Values<O>, positionals };
  } catch (error) {
    return endScript(error);
  }
}

/** Say why a script ends, and end it: with 2 where it could not do its work. */
export function endScript(error: unknown): never {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(error instanceof CommandError ? error.exitCode : 2);
}
