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
const AWK_RUNS = /system(?!\w)|getline|close\s*\(|extension|@|\\\n/;

/**
 * Prove an awk program harmless.
 *
 * Looked for anywhere in the text, patterns included: telling a pattern from a division takes a whole awk parser, and a
 * program that hides a quote in a pattern would deceive anything less. Without `getline`, `>` and a single `|` write only
 * after a `print`; before one they compare, or stand in a pattern.
 */
export const checkAwk = checkOptions({ values: "Fv", endsAtOperand: true }, ({ operands: [program] }) => {
  if (program === undefined) return "awk has no program";
  if (program.expands) return "awk's program is not known before the shell expands it";
  const risk = AWK_RUNS.exec(program.text)?.[0];
  if (risk !== undefined) return `awk's program has ${quoteText(risk)} in it`;
  const code = withoutStrings(program.text).replaceAll("||", " ");
  const print = code.indexOf("print");
  return print >= 0 && /[|>]/.test(code.slice(print)) ? "awk's program may print elsewhere" : null;
});

/**
 * An awk program without its strings and comments. As it is when it has a slash, because then only a parser knows where
 * a string begins, or when a string does not end.
 */
function withoutStrings(program: string): string {
  if (program.includes("/")) return program;
  let isWhole = true;
  const code = program.replaceAll(/"(?:[^"\\\n]|\\[^\n])*("?)|#[^\n]*/g, (_, end?: string) => {
    isWhole &&= end !== "";
    return " ";
  });
  return isWhole ? code : program;
}
