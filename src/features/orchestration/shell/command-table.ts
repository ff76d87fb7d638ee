import { type CheckArguments, checkOptions } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";
import { checkCurl } from "./curl-command.ts";
import { checkGit } from "./git-command.ts";

/** Prove `date` harmless: it sets the clock with `-s`, and with any operand that is not a `+format`. */
const checkDate = checkOptions(
  {
    flags: "Ru",
    values: "dr",
    pattern: /^-I[a-z]*$/,
    long: "help iso-8601 resolution rfc-2822 rfc-3339 rfc-email universal utc version",
    longValues: "date reference",
  },
  ({ operands }) =>
    operands.every(({ text }) => text.startsWith("+")) ? null : "date sets the clock to its operand",
);

/** Prove `df` harmless: `--sync` writes everything out first, and GNU takes abbreviations of it. */
const checkDf = checkOptions({
  flags: "abghHiIklmnPTv",
  values: "Btx",
  long: "all help human-readable inodes local no-sync output portability print-type si total version",
  longValues: "block-size exclude-type type",
});

/** Prove `hostname` harmless: it renames the machine to its operand. */
const checkHostname = checkOptions(
  { flags: "AadfIis", long: "alias all-fqdns all-ip-addresses domain fqdn ip-address long short" },
  ({ operands }) => (operands.length === 0 ? null : "hostname renames the machine to its operand"),
);

/** Prove `env` harmless: it only lists. With a word that is no option it sets a variable or runs a command. */
const checkEnv = checkOptions({ flags: "0", long: "null" }, ({ operands }) =>
  operands.length === 0 ? null : "env may run a command",
);

/** Prove `which` harmless: it looks names up. */
const checkWhich = checkOptions({ flags: "as", long: "all" });

/** Tests, operators and actions that read. `-delete`, `-exec…`, `-ok…`, `-fprint…` and `-fls` are not among them. */
const PRIMARIES = new Set(
  (
    "-a -amin -and -anewer -atime -cmin -cnewer -ctime -d -daystart -depth -empty -executable -false -follow " +
    "-fstype -gid -group -H -ilname -iname -inum -ipath -iregex -iwholename -L -links -lname -ls -maxdepth " +
    "-mindepth -mmin -mount -mtime -name -newer -nogroup -noleaf -not -nouser -o -or -P -path -perm -print " +
    "-print0 -printf -prune -quit -readable -regex -regextype -samefile -size -true -type -uid -used -user " +
    "-wholename -writable -xdev -xtype"
  ).split(" "),
);
/** `-mtime -7`, `-size -10k`, `-perm -644`, `-newermt`. */
const VALUE = /^-(?:\d+[a-zA-Z]?|newer[aBcm][aBcmt])$/;

/** Expands to names that end in a dot and letters, as no action of find does. */
const FILES_BY_SUFFIX = /^\*(?:\.\w+)+$/;

/** Prove `find` harmless: every word with a dash is a primary that reads, wherever it stands. */
const checkFind: CheckArguments = (args) => {
  for (const { raw, text, wild } of args) {
    if (wild && !FILES_BY_SUFFIX.test(raw)) return `${quoteText(raw)} could become an action of find`;
    if (text.startsWith("-") && !PRIMARIES.has(text) && !VALUE.test(text))
      return `find ${quoteText(text)} is not proven harmless`;
  }
  return null;
};

/** Prove `sort` harmless: no `-o`, no `--compress-program`, no `-T`. */
const checkSort = checkOptions({
  flags: "bCcdfghiMmnRrsuVz",
  values: "kSt",
  long:
    "check debug dictionary-order general-numeric-sort help human-numeric-sort ignore-case ignore-leading-blanks " +
    "ignore-nonprinting merge month-sort numeric-sort random-sort reverse sort stable unique version version-sort " +
    "zero-terminated",
  longValues: "buffer-size field-separator key parallel",
});

/** Prove `uniq` harmless: its second operand is a file it writes. */
const checkUniq = checkOptions(
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
const checkAwk = checkOptions({ values: "Fv", endsAtOperand: true }, ({ operands: [program] }) => {
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
const checkNpm = withSubcommands(
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
const checkPip = withSubcommands(
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
const checkDocker = withSubcommands(
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

/** Has no option and no operand that writes or runs anything. Following a growing file (`tail -f`) reads. */
const readsOnly: CheckArguments = () => null;

/** Every command of the reference document's table, and what makes a use of it read-only. Nothing else is. */
export const COMMANDS: ReadonlyMap<string, CheckArguments> = new Map([
  ["cat", readsOnly],
  ["head", readsOnly],
  ["tail", readsOnly],
  ["ls", readsOnly],
  ["find", checkFind],
  ["stat", readsOnly],
  ["wc", readsOnly],
  ["du", readsOnly],
  ["df", checkDf],

  ["grep", readsOnly],
  ["sort", checkSort],
  ["uniq", checkUniq],
  ["cut", readsOnly],
  ["awk", checkAwk],

  ["git", checkGit],

  ["echo", readsOnly],
  ["pwd", readsOnly],
  ["whoami", readsOnly],
  ["date", checkDate],
  ["uptime", readsOnly],
  ["hostname", checkHostname],
  ["env", checkEnv],
  ["which", checkWhich],

  ["npm", checkNpm],
  ["pip", checkPip],
  ["docker", checkDocker],
  ["curl", checkCurl],
]);
