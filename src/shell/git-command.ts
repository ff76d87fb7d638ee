import type { CheckArguments } from "./check-arguments.ts";
import { LOG_OPTIONS } from "./git-log-options.ts";
import { type OptionRules, readOptions } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";
import type { Word } from "./token.ts";

/** Before the subcommand. `-c`, `-C`, `--exec-path`, `--git-dir` and the rest choose whose configuration runs what. */
const GLOBAL = new Set(["--no-pager", "--no-optional-locks"]);

/**
 * Prove `git` harmless: a subcommand of the table, in a form that only shows.
 *
 * Git takes abbreviations of its long options (`--outp=x`), so only whole names that are known are accepted.
 */
export const checkGit: CheckArguments = (args) => {
  const at = args.findIndex(({ text }) => !GLOBAL.has(text));
  const subcommand = args[at];
  if (subcommand === undefined) return "git has no subcommand";
  const check = subcommand.expands ? undefined : SUBCOMMANDS.get(subcommand.text);
  if (check === undefined) return `git ${quoteText(subcommand.text)} is not on the read-only list`;
  return check(args.slice(at + 1));
};

const REF_LISTING = new Set(
  "abbrev all color column format ignore-case list no-abbrev no-color no-column remotes show-current verbose".split(
    " ",
  ),
);
const REF_FILTERS = new Set("contains format merged no-contains no-merged points-at sort".split(" "));

/** List branches. A name without `--list` creates a branch; `-l` once meant "create a reflog". */
const checkBranch: CheckArguments = (args) =>
  checkRefs(args, { flags: "arvi", long: REF_LISTING, longValues: REF_FILTERS }, ["list"]);

/** List tags. A name without `-l` creates a tag. */
const checkTag: CheckArguments = (args) =>
  checkRefs(args, { flags: "li", pattern: /^-n\d*$/, long: REF_LISTING, longValues: REF_FILTERS }, [
    "list",
    "l",
  ]);

function checkRefs(args: readonly Word[], rules: OptionRules, listing: readonly string[]): string | null {
  const read = readOptions(args, rules);
  if (!read.ok) return read.error;
  const { operands, options } = read.value;
  if (operands.length === 0 || listing.some((option) => options.has(option))) return null;
  return `${quoteText(operands[0]!.text)} may be created`;
}

/** Show the log of what a diff, log or blame shows. */
const checkLog: CheckArguments = (args) => {
  const read = readOptions(args, LOG_OPTIONS);
  return read.ok ? null : read.error;
};

/** A configured name, not an address: `ext::` addresses run a command. */
const REMOTE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/** Show remotes: the list, `show`, `get-url`. Everything else changes them. */
const checkRemote: CheckArguments = (args) => {
  const read = readOptions(args, { flags: "vn", long: new Set(["all", "push", "verbose"]) });
  if (!read.ok) return read.error;
  const [subcommand, ...names] = read.value.operands;
  if (subcommand === undefined) return null;
  if (subcommand.expands || !["show", "get-url"].includes(subcommand.text))
    return `git remote ${quoteText(subcommand.text)} is not proven harmless`;
  return names.every(({ text }) => REMOTE_NAME.test(text)) ? null : "a remote is not given by its name";
};

/** What is surely a revision or a count, and never a subcommand, of today or of later. */
const REVISION = /^(?:HEAD|\d+$|[^@/]*[@/])/;

/** Show reflogs. `expire`, `delete`, `drop` and `write` change them; a bare word may be one that is yet to come. */
const checkReflog: CheckArguments = (args) => {
  const read = readOptions(args, LOG_OPTIONS);
  if (!read.ok) return read.error;
  const [first, ...rest] = read.value.operands;
  if (first === undefined || (!first.expands && ["show", "exists", "list"].includes(first.text))) return null;
  const odd = [first, ...rest].find(({ text }) => !REVISION.test(text));
  return odd === undefined ? null : `git reflog ${quoteText(odd.text)} is not proven harmless`;
};

/** The subcommands of the reference document's table. */
const SUBCOMMANDS: ReadonlyMap<string, CheckArguments> = new Map([
  ["status", checkLog],
  ["diff", checkLog],
  ["log", checkLog],
  ["show", checkLog],
  ["blame", checkLog],
  ["branch", checkBranch],
  ["tag", checkTag],
  ["remote", checkRemote],
  ["reflog", checkReflog],
]);
