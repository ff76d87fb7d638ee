import { type Arguments, type CheckArguments, checkOptions, type KnownOptions } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";
import type { Word } from "./tokenize.ts";

/**
 * Options of `git status`, `diff`, `log`, `show`, `blame` and `reflog` that choose what is shown and how.
 *
 * Left out on purpose: `--output` (writes a file), `--ext-diff` and `--textconv` (run configured programs), `--show-signature`
 * (runs gpg), `--help` (runs a viewer), `--remerge-diff` (writes objects). Only one short option, `-o`, could ever mean an output
 * file.
 */
const LOG_OPTIONS: KnownOptions = {
  pattern: /^-[A-Za-np-z0-9]/,
  long:
    "abbrev abbrev-commit after ahead-behind all all-match author author-date-order basic-regexp before boundary " +
    "branch branches cached cc cherry cherry-mark cherry-pick color color-moved color-words column " +
    "combined-all-paths committer compact-summary cumulative date date-order decorate decorate-refs " +
    "decorate-refs-exclude dense diff-algorithm diff-filter diff-merges dirstat dst-prefix encoding exclude " +
    "exit-code extended-regexp find-copies find-copies-harder find-object find-renames first-parent fixed-strings " +
    "follow format full-diff full-history full-index function-context glob graph grep grep-reflog histogram " +
    "ignore-all-space ignore-blank-lines ignore-cr-at-eol ignore-matching-lines ignore-rev ignore-space-at-eol " +
    "ignore-space-change ignore-submodules ignored incremental indent-heuristic inter-hunk-context invert-grep " +
    "left-only left-right line-porcelain line-prefix log-size long max-count max-parents merge-base merges min-parents " +
    "minimal name-only name-status no-abbrev no-abbrev-commit no-ahead-behind no-color no-color-moved no-column " +
    "no-commit-id no-decorate no-ext-diff no-index no-max-parents no-merges no-min-parents no-notes no-patch " +
    "no-prefix no-relative no-renames no-textconv no-walk not notes null numstat oneline parents children patch " +
    "patch-with-raw patch-with-stat patience perl-regexp pickaxe-all pickaxe-regex porcelain pretty quiet raw " +
    "regexp-ignore-case relative relative-date remotes reverse right-only root short shortstat show-email " +
    "show-name show-notes show-number show-stash simplify-by-decoration simplify-merges since skip source sparse " +
    "src-prefix staged stat stat-count stat-name-width stat-width submodule summary tags text topo-order unified " +
    "until untracked-files use-mailmap mailmap verbose walk-reflogs word-diff word-diff-regex ws-error-highlight",
};

/** Before the subcommand. `-c`, `--exec-path`, `--git-dir` and the rest choose what is run. */
const GLOBAL = new Set(["--no-pager", "-P", "--no-optional-locks"]);

/**
 * Prove `git` harmless: a subcommand of the table, in a form that only shows.
 *
 * Git takes abbreviations of its long options (`--outp=x`), so only whole names that are known are accepted. A format
 * may ask for signatures, and checking one runs the configured gpg; where such a format may stand differs too much to
 * tell it from other words.
 */
export const checkGit: CheckArguments = (args) => {
  let at = 0;
  while (at < args.length && (GLOBAL.has(args[at]!.text) || isDirectory(args, at)))
    at += args[at]!.text === "-C" ? 2 : 1;
  const subcommand = args[at];
  if (subcommand === undefined) return "git has no subcommand";
  const check = subcommand.expands ? undefined : SUBCOMMANDS.get(subcommand.text);
  if (check === undefined) return `git ${quoteText(subcommand.text)} is not on the read-only list`;
  const signed = args.find(({ text }) => asksForSignature(text));
  return signed === undefined ? check(args.slice(at + 1)) : `${quoteText(signed.text)} may run gpg`;
};

/** Whether `-C` and a directory stand here. A word that the shell fills in may be more than a directory. */
function isDirectory(args: readonly Word[], at: number): boolean {
  const directory = args[at + 1];
  return (
    args[at]!.text === "-C" &&
    directory !== undefined &&
    !directory.expands &&
    !directory.text.startsWith("-")
  );
}

/** `%G?`, `%+GS`, `%(signature:grade)`, in whatever it stands. */
function asksForSignature(text: string): boolean {
  return /%[-+ ]*G/.test(text) || (text.includes("%(") && text.includes("signature"));
}

/** The options that list branches and tags. A name without one of the listing options is created. */
const REFS = {
  long: "abbrev all color column format ignore-case list no-abbrev no-color no-column remotes show-current verbose",
  longValues: "contains format merged no-contains no-merged points-at sort",
};

function checkRefs(known: KnownOptions, listing: readonly string[]): CheckArguments {
  return checkOptions({ ...REFS, ...known }, ({ operands: [first], options, values }) => {
    const value = values.find(
      ({ option, text, word }) =>
        (option === "sort" && text.includes("signature")) ||
        ((option === "sort" || option === "format") && word.expands),
    );
    if (value !== undefined) return `${quoteText(value.word.raw)} may run gpg`;
    return first === undefined || listing.some((option) => options.has(option))
      ? null
      : `${quoteText(first.text)} may be created`;
  });
}

/** List branches. `-l` once meant "create a reflog". */
const checkBranch = checkRefs({ flags: "arvi" }, ["list"]);

/** List tags. */
const checkTag = checkRefs({ flags: "li", pattern: /^-n\d*$/ }, ["list", "l"]);

/** Formats that git knows itself; any other name is one of the configuration's, which may ask for signatures. */
const FORMATS = new Set([
  "",
  "oneline",
  "short",
  "medium",
  "full",
  "fuller",
  "reference",
  "email",
  "mboxrd",
  "raw",
]);

function checkFormats({ values }: Arguments): string | null {
  const odd = values.find(
    ({ option, text }) =>
      (option === "format" || option === "pretty") && !FORMATS.has(text) && !/^t?format:|%/.test(text),
  );
  return odd === undefined ? null : `${quoteText(odd.text)} is a format of the configuration`;
}

/** Show the log of what a diff, log or blame shows. */
const checkLog = checkOptions(LOG_OPTIONS, checkFormats);

/** Say what revisions and the repository are. `--parseopt` is for scripts and left out. */
const checkRevParse = checkOptions({
  flags: "q",
  long:
    "abbrev-ref absolute-git-dir after all before branches disambiguate exclude flags git-common-dir git-dir glob " +
    "is-bare-repository is-inside-git-dir is-inside-work-tree is-shallow-repository local-env-vars no-flags no-revs " +
    "not path-format quiet remotes revs-only short show-cdup show-object-format show-prefix show-ref-format " +
    "show-superproject-working-tree show-toplevel since sq symbolic symbolic-full-name tags until verify",
  longValues: "default git-path",
});

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

/** A word that is surely a revision or a count, and never a subcommand, of today or of later. */
const REVISION = /^(?:HEAD|\d+$|[^@/]*[@/])/;

/** Show reflogs. `expire`, `delete`, `drop` and `write` change them; a bare word may be one that is yet to come. */
const checkReflog = checkOptions(LOG_OPTIONS, (args) => {
  const format = checkFormats(args);
  if (format !== null) return format;
  const [first, ...rest] = args.operands;
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
  ["rev-parse", checkRevParse],
]);
