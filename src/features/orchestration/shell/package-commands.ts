import { type CheckArguments, checkOptions } from "./check-options.ts";
import { quoteText } from "./split-commands.ts";

/** Make a check that accepts the listed subcommands right after the command's name, and checks what follows. */
function withSubcommands(command: string, names: readonly string[], check: CheckArguments): CheckArguments {
  return ([subcommand, ...rest]) => {
    if (subcommand === undefined) return `${command} has no subcommand`;
    if (subcommand.expands || !names.includes(subcommand.text))
      return `${command} ${quoteText(subcommand.text)} is not on the read-only list`;
    return check(rest);
  };
}

/** A name, a scoped name, one with a version, or a field of what is shown: never a path, an address or `user/repo`. */
const REGISTRY_NAME = /^(?:@[\w.-]+\/)?[\w.[\]-]+(?:@[^/:]*)?$/;

/** Prove `npm` harmless: `list`, `view`, `outdated`. A package that is fetched from git is prepared, and that runs its scripts. */
export const checkNpm = withSubcommands(
  "npm",
  ["list", "view", "outdated"],
  checkOptions(
    {
      flags: "aglp",
      values: "w",
      long: "all dev global include-workspace-root json long only package-lock-only parseable prod production",
      longValues: "depth include omit workspace",
    },
    ({ operands }) => {
      const odd = operands.find(({ text, expands }) => expands || !REGISTRY_NAME.test(text));
      return odd === undefined
        ? null
        : `${quoteText(odd.raw)} may be fetched from elsewhere than the registry`;
    },
  ),
);

/** Prove `pip` harmless: `list`, `show`; `--log` writes a file and `--python` runs another interpreter. */
export const checkPip = withSubcommands(
  "pip",
  ["list", "show"],
  checkOptions({
    flags: "eflouqv",
    long:
      "exclude-editable files include-editable local not-required outdated pre quiet uptodate user verbose editable " +
      "format",
    longValues: "exclude format",
  }),
);

/** Prove `docker` harmless: what shows containers and images on the daemon that is configured. */
export const checkDocker = withSubcommands(
  "docker",
  ["ps", "images", "logs", "inspect", "stats"],
  checkOptions({
    flags: "aflqst",
    values: "n",
    long:
      "all details digests follow latest no-stream no-trunc quiet size timestamps tree format filter since until tail " +
      "type last",
    longValues: "filter format last since tail type until",
  }),
);
