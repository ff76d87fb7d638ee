import type { CheckArguments } from "./check-arguments.ts";
import { type OptionRules, readOptions } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";

const NPM: OptionRules = {
  flags: "aglp",
  values: "w",
  long: new Set(
    "all dev global include-workspace-root json long only package-lock-only parseable prod production".split(
      " ",
    ),
  ),
  longValues: new Set(["depth", "include", "omit", "workspace"]),
};

/** A name, a scoped name, one with a version, or a field of what is shown: never a path, an address or `user/repo`. */
const REGISTRY_NAME = /^(?:@[\w.-]+\/)?[\w.[\]-]+(?:@[^/:]*)?$/;

/** Prove an `npm` lookup harmless. What is fetched from git is prepared, and that runs its scripts. */
const checkNpmLookup: CheckArguments = (args) => {
  const read = readOptions(args, NPM);
  if (!read.ok) return read.error;
  const odd = read.value.operands.find(({ text, expands }) => expands || !REGISTRY_NAME.test(text));
  return odd === undefined ? null : `${quoteText(odd.raw)} may be fetched from elsewhere than the registry`;
};

const PIP: OptionRules = {
  flags: "eflouqv",
  long: new Set(
    (
      "exclude-editable files include-editable local not-required outdated pre quiet uptodate user verbose " +
      "editable format"
    ).split(" "),
  ),
  longValues: new Set(["exclude", "format"]),
};

const DOCKER: OptionRules = {
  flags: "aflqst",
  values: "n",
  long: new Set(
    (
      "all details digests follow latest no-stream no-trunc quiet size timestamps tree format filter since until " +
      "tail type last"
    ).split(" "),
  ),
  longValues: new Set(["filter", "format", "last", "since", "tail", "type", "until"]),
};

const withRules =
  (rules: OptionRules): CheckArguments =>
  (args) => {
    const read = readOptions(args, rules);
    return read.ok ? null : read.error;
  };

/** Make a check that accepts the listed subcommands, each by its own check, right after the command's name. */
function withSubcommands(command: string, names: readonly string[], check: CheckArguments): CheckArguments {
  return ([subcommand, ...rest]) => {
    if (subcommand === undefined) return `${command} has no subcommand`;
    if (subcommand.expands || !names.includes(subcommand.text))
      return `${command} ${quoteText(subcommand.text)} is not on the read-only list`;
    return check(rest);
  };
}

/** Prove `npm` harmless: `list`, `view`, `outdated`. */
export const checkNpm = withSubcommands("npm", ["list", "view", "outdated"], checkNpmLookup);

/** Prove `pip` harmless: `list`, `show`; `--log` writes a file and `--python` runs another interpreter. */
export const checkPip = withSubcommands("pip", ["list", "show"], withRules(PIP));

/** Prove `docker` harmless: what shows containers and images on the daemon that is configured. */
export const checkDocker = withSubcommands(
  "docker",
  ["ps", "images", "logs", "inspect", "stats"],
  withRules(DOCKER),
);
