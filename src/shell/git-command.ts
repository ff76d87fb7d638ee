import { type CheckArguments, checkOptions, type KnownOptions } from "./check-options.ts";
import { LOG_OPTIONS } from "./git-log-options.ts";
import { quoteText } from "./split-commands.ts";

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

/** What lists branches and tags. A name without one of the listing options is created. */
const REFS = {
  long: "abbrev all color column format ignore-case list no-abbrev no-color no-column remotes show-current verbose",
  longValues: "contains format merged no-contains no-merged points-at sort",
};

function checkRefs(known: KnownOptions, listing: readonly string[]): CheckArguments {
  return checkOptions({ ...REFS, ...known }, ({ operands: [first], options }) =>
    first === undefined || listing.some((option) => options.has(option))
      ? null
      : `${quoteText(first.text)} may be created`,
  );
}

/** List branches. `-l` once meant "create a reflog". */
const checkBranch = checkRefs({ flags: "arvi" }, ["list"]);

/** List tags. */
const checkTag = checkRefs({ flags: "li", pattern: /^-n\d*$/ }, ["list", "l"]);

/** Show the log of what a diff, log or blame shows. */
const checkLog = checkOptions(LOG_OPTIONS);

/** A configured name, not an address: `ext::` addresses run a command. */
const REMOTE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/** Show remotes: the list, `show`, `get-url`. Everything else changes them. */
const checkRemote = checkOptions(
  { flags: "vn", long: "all push verbose" },
  ({ operands: [subcommand, ...names] }) => {
    if (subcommand === undefined) return null;
    if (subcommand.expands || !["show", "get-url"].includes(subcommand.text))
      return `git remote ${quoteText(subcommand.text)} is not proven harmless`;
    return names.every(({ text }) => REMOTE_NAME.test(text)) ? null : "a remote is not given by its name";
  },
);

/** What is surely a revision or a count, and never a subcommand, of today or of later. */
const REVISION = /^(?:HEAD|\d+$|[^@/]*[@/])/;

/** Show reflogs. `expire`, `delete`, `drop` and `write` change them; a bare word may be one that is yet to come. */
const checkReflog = checkOptions(LOG_OPTIONS, ({ operands: [first, ...rest] }) => {
  if (first === undefined || (!first.expands && ["show", "exists", "list"].includes(first.text))) return null;
  const odd = [first, ...rest].find(({ text }) => !REVISION.test(text));
  return odd === undefined ? null : `git reflog ${quoteText(odd.text)} is not proven harmless`;
});

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
