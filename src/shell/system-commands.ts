import type { CheckArguments } from "./check-arguments.ts";
import { type OptionRules, readOptions } from "./read-options.ts";

const DATE: OptionRules = {
  flags: "Ru",
  values: "dr",
  pattern: /^-I[a-z]*$/,
  long: new Set("help iso-8601 resolution rfc-2822 rfc-3339 rfc-email universal utc version".split(" ")),
  longValues: new Set(["date", "reference"]),
};

/** Prove `date` harmless: it sets the clock with `-s`, and with any operand that is not a `+format`. */
export const checkDate: CheckArguments = (args) => {
  const read = readOptions(args, DATE);
  if (!read.ok) return read.error;
  return read.value.operands.every(({ text }) => text.startsWith("+"))
    ? null
    : "date sets the clock to its operand";
};

const HOSTNAME: OptionRules = {
  flags: "AadfIis",
  long: new Set("alias all-fqdns all-ip-addresses domain fqdn ip-address long short".split(" ")),
};

/** Prove `hostname` harmless: it renames the machine to its operand. */
export const checkHostname: CheckArguments = (args) => {
  const read = readOptions(args, HOSTNAME);
  if (!read.ok) return read.error;
  return read.value.operands.length === 0 ? null : "hostname renames the machine to its operand";
};

/** Prove `env` harmless: it only lists. With a word that is no option it sets a variable or runs a command. */
export const checkEnv: CheckArguments = (args) => {
  const read = readOptions(args, { flags: "0", long: new Set(["null"]) });
  if (!read.ok) return read.error;
  return read.value.operands.length === 0 ? null : "env may run a command";
};

/** Prove `which` harmless: it looks names up. */
export const checkWhich: CheckArguments = (args) => {
  const read = readOptions(args, { flags: "as", long: new Set(["all"]) });
  return read.ok ? null : read.error;
};
