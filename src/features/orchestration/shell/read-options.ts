import { err, ok, type Result } from "../../../feature/refuse.ts";
import { quoteText } from "./split-commands.ts";
import type { Word } from "./tokenize.ts";

/** The options of one command that are known to do no harm. Everything else is refused, abbreviations included. */
export interface OptionRules {
  /** Short options without a value, which may stand in one word: `-la`. */
  readonly flags?: string;
  /** Short options whose value is the rest of their word, or the next one. */
  readonly values?: string;
  /** Other words with one dash that are fine as a whole. */
  readonly pattern?: RegExp;
  /** Long options without a value, or with `=value`. */
  readonly long?: ReadonlySet<string>;
  /** Long options that take the next word as their value when they have no `=`. */
  readonly longValues?: ReadonlySet<string>;
  /** The command looks for options before its first operand only, so what the shell expands later is none. */
  readonly endsAtOperand?: boolean;
}

/** An option's value: `text`, out of `word`. */
export interface OptionValue {
  readonly option: string;
  readonly text: string;
  readonly word: Word;
}

export interface Arguments {
  readonly operands: readonly Word[];
  readonly options: ReadonlySet<string>;
  readonly values: readonly OptionValue[];
  /** Options that take a value which is not among `values`: none follows, or what follows may be another word. */
  readonly unvalued: ReadonlySet<string>;
}

/**
 * Tell a command's options from its operands, or name what is not proven harmless.
 *
 * A word that starts with a dash, or could once the shell has expanded it, must be an option of the rules. That holds for
 * the value of an option and after `--` too, where a command may honour it less than one thinks; so being wrong about
 * who takes a value never hides an option.
 */
export function readOptions(words: readonly Word[], rules: OptionRules): Result<Arguments, string> {
  const operands: Word[] = [];
  const options = new Set<string>();
  const values: OptionValue[] = [];
  const unvalued = new Set<string>();
  let ended = false;

  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (word.wild && !(rules.endsAtOperand === true && operands.length > 0))
      return err(`${quoteText(word.raw)} could become an option`);
    if (!isDashed(word.text)) {
      operands.push(word);
      continue;
    }
    if (word.text === "--" && !ended) {
      ended = true;
      continue;
    }
    const read = ended ? null : readOption(word.text, rules);
    if (read === null) return err(`${quoteText(word.text)} is not proven harmless`);
    for (const option of read.options) options.add(option);
    const option = read.options.at(-1)!;
    if (read.value !== undefined) values.push({ option, text: read.value, word });
    if (!read.takesNext) continue;
    const next = words[at + 1];
    if (next === undefined || next.wild || next.many || isDashed(next.text)) {
      unvalued.add(option);
      continue;
    }
    values.push({ option, text: next.text, word: next });
    at += 1;
  }
  return ok({ operands, options, values, unvalued });
}

/** A dash alone is a file: standard input. */
function isDashed(text: string): boolean {
  return text.startsWith("-") && text !== "-";
}

interface ReadOption {
  readonly options: readonly string[];
  /** The value in the same word, `5` in `-n5`; also `--name=`, whose value is empty and not the next word. */
  readonly value?: string;
  readonly takesNext: boolean;
}

function readOption(text: string, rules: OptionRules): ReadOption | null {
  if (text.startsWith("--")) {
    const equals = text.indexOf("=");
    const name = equals < 0 ? text.slice(2) : text.slice(2, equals);
    const takesNext = rules.longValues?.has(name) ?? false;
    if (!takesNext && !rules.long?.has(name)) return null;
    if (equals < 0) return { options: [name], takesNext };
    return { options: [name], value: text.slice(equals + 1), takesNext: false };
  }
  const options: string[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at]!;
    options.push(letter);
    if (rules.values?.includes(letter)) {
      const value = text.slice(at + 1);
      return value === "" ? { options, takesNext: true } : { options, value, takesNext: false };
    }
    if (!rules.flags?.includes(letter))
      return rules.pattern?.test(text) ? { options: [text], takesNext: false } : null;
  }
  return { options, takesNext: false };
}

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
