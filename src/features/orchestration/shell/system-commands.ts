import { checkOptions } from "./check-options.ts";

/** Prove `date` harmless: it sets the clock with `-s`, and with any operand that is not a `+format`. */
export const checkDate = checkOptions(
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
export const checkDf = checkOptions({
  flags: "abghHiIklmnPTv",
  values: "Btx",
  long: "all help human-readable inodes local no-sync output portability print-type si total version",
  longValues: "block-size exclude-type type",
});

/** Prove `hostname` harmless: it renames the machine to its operand. */
export const checkHostname = checkOptions(
  { flags: "AadfIis", long: "alias all-fqdns all-ip-addresses domain fqdn ip-address long short" },
  ({ operands }) => (operands.length === 0 ? null : "hostname renames the machine to its operand"),
);

/** Prove `env` harmless: it only lists. With a word that is no option it sets a variable or runs a command. */
export const checkEnv = checkOptions({ flags: "0", long: "null" }, ({ operands }) =>
  operands.length === 0 ? null : "env may run a command",
);

/** Prove `which` harmless: it looks names up. */
export const checkWhich = checkOptions({ flags: "as", long: "all" });
