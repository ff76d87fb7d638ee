import { checkOptions } from "./check-options.ts";
import { quoteText } from "./split-commands.ts";

/** Prove `sort` harmless: no `-o`, no `--compress-program`, no `-T`. */
export const checkSort = checkOptions({
  flags: "bCcdfghiMmnRrsuVz",
  values: "kSt",
  long:
    "check debug dictionary-order general-numeric-sort help human-numeric-sort ignore-case ignore-leading-blanks " +
    "ignore-nonprinting merge month-sort numeric-sort random-sort reverse sort stable unique version version-sort " +
    "zero-terminated",
  longValues: "buffer-size field-separator key parallel",
});

/** Prove `uniq` harmless: its second operand is a file it writes. */
export const checkUniq = checkOptions(
  {
    flags: "cDduiz",
    values: "fsw",
    long: "all-repeated count group help ignore-case repeated unique version zero-terminated",
    longValues: "check-chars skip-chars skip-fields",
  },
  ({ operands }) =>
    operands.length > 1 || operands.some(({ many }) => many) ? "uniq writes to its second file" : null,
);

/** Runs a command, reads from one, loads code, or calls a function by a name worked out at run time. */
const AWK_RUNS = /system|getline|extension|@|\\\n/;

/**
 * Prove an awk program harmless.
 *
 * Looked for anywhere in the text, strings and patterns included: telling a pattern from a division takes a whole awk
 * parser, and a program that hides a quote in a pattern would deceive anything less. `>` writes only after a `print`,
 * before one it compares; a single `|` is a pipe.
 */
export const checkAwk = checkOptions({ values: "Fv" }, ({ operands: [program] }) => {
  if (program === undefined) return "awk has no program";
  if (program.expands) return "awk's program is not known before the shell expands it";
  const risk = AWK_RUNS.exec(program.text)?.[0];
  if (risk !== undefined) return `awk's program has ${quoteText(risk)} in it`;
  if (program.text.replaceAll("||", " ").includes("|")) return "awk's program has a pipe in it";
  const print = program.text.indexOf("print");
  if (print >= 0 && program.text.includes(">", print)) return "awk's program may print to a file";
  return null;
});
