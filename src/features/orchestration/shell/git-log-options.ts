import type { KnownOptions } from "./check-options.ts";

/**
 * Options of `git status`, `diff`, `log`, `show`, `blame` and `reflog` that choose what is shown and how.
 *
 * Left out on purpose: `--output` (writes a file), `--ext-diff` and `--textconv` (run configured programs), `--show-signature`
 * (runs gpg), `--help` (runs a viewer), `--remerge-diff` (writes objects). Only one short option, `-o`, could ever mean an output
 * file.
 */
export const LOG_OPTIONS: KnownOptions = {
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
