import type { CheckArguments } from "./check-arguments.ts";
import { type OptionRules, readOptions } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";

const SORT: OptionRules = {
  flags: "bCcdfghiMmnRrsuVz",
  values: "kSt",
  long: new Set(
    (
      "check debug dictionary-order general-numeric-sort help human-numeric-sort ignore-case " +
      "ignore-leading-blanks ignore-nonprinting merge month-sort numeric-sort random-sort reverse sort stable " +
      "unique version version-sort zero-terminated"
    ).split(" "),
  ),
  longValues: new Set(["buffer-size", "field-separator", "key", "parallel"]),
};

/** Prove `sort` harmless: no `-o`, no `--compress-program`, no `-T`. */
export const checkSort: CheckArguments = (args) => {
  const read = readOptions(args, SORT);
  return read.ok ? null : read.error;
};

const UNIQ: OptionRules = {
  flags: "cDduiz",
  values: "fsw",
  long: new Set(
    "all-repeated count group help ignore-case repeated unique version zero-terminated".split(" "),
  ),
  longValues: new Set(["check-chars", "skip-chars", "skip-fields"]),
};

/** Prove `uniq` harmless: its second operand is a file it writes. */
export const checkUniq: CheckArguments = (args) => {
  const read = readOptions(args, UNIQ);
  if (!read.ok) return read.error;
  const { operands } = read.value;
  if (operands.length > 1 || operands.some(({ many }) => many)) return "uniq writes to its second file";
  return null;
};

const AWK: OptionRules = { values: "Fv" };
/** Runs a command, reads from one, loads code, or calls a function by a name worked out at run time. */
const AWK_RUNS = /system|getline|extension|@|\\\n/;

/**
 * Prove an awk program harmless.
 *
 * Looked for anywhere in the text, strings and patterns included: telling a pattern from a division takes a whole awk
 * parser, and a program that hides a quote in a pattern would deceive anything less. `>` writes only after a `print`,
 * before one it compares; a single `|` is a pipe.
 */
export const checkAwk: CheckArguments = (args) => {
  const read = readOptions(args, AWK);
  if (!read.ok) return read.error;
  const program = read.value.operands[0];
  if (program === undefined) return "awk has no program";
  if (program.expands) return "awk's program is not known before the shell expands it";
  const risk = AWK_RUNS.exec(program.text)?.[0];
  if (risk !== undefined) return `awk's program has ${quoteText(risk)} in it`;
  if (program.text.replaceAll("||", " ").includes("|")) return "awk's program has a pipe in it";
  const print = program.text.indexOf("print");
  if (print >= 0 && program.text.includes(">", print)) return "awk's program may print to a file";
  return null;
};
