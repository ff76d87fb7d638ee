import { type Arguments, type OptionRules, readOptions } from "./read-options.ts";
import type { Word } from "./token.ts";

/** Say why a command with these arguments is not proven read-only, or null when it is. */
export type CheckArguments = (args: readonly Word[]) => string | null;

/** Options as a command's manual lists them: long ones as words with spaces between. */
export interface KnownOptions extends Omit<OptionRules, "long" | "longValues"> {
  readonly long?: string;
  readonly longValues?: string;
}

/** Make a check that knows a command's harmless options and, where there is more to know, looks at the rest too. */
export function checkOptions(
  { long = "", longValues = "", ...known }: KnownOptions,
  checkRest: (args: Arguments) => string | null = () => null,
): CheckArguments {
  const rules = { ...known, long: toSet(long), longValues: toSet(longValues) };
  return (args) => {
    const read = readOptions(args, rules);
    return read.ok ? checkRest(read.value) : read.error;
  };
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").filter((word) => word !== ""));
}
