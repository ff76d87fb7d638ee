import type { CheckArguments } from "./check-arguments.ts";
import { type OptionRules, type OptionValue, readOptions } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";
import type { Word } from "./token.ts";

const CURL: OptionRules = {
  flags: "#046fGgIikLNnqSsv",
  values: "AbeHmruw",
  long: new Set(
    (
      "compressed fail fail-with-body get globoff head http1.1 http2 include insecure ipv4 ipv6 location " +
      "no-buffer no-progress-meter progress-bar show-error silent verbose"
    ).split(" "),
  ),
  longValues: new Set(
    (
      "connect-timeout cookie header max-redirs max-time range referer retry retry-delay retry-max-time user " +
      "user-agent write-out"
    ).split(" "),
  ),
};

/** Curl guesses a protocol from a host's first label; `dict://` and `ldap://` can do more than read. */
const BARE_HOST = /^(?!(?:dict|ftp|ldap|imap|smtp|pop3)\.)[\w.-]+(?::\d+)?(?:[/?]|$)/i;

/**
 * Prove `curl` harmless: a GET or HEAD of web addresses that writes no file.
 *
 * `gopher:` and `dict:` would send arbitrary bytes, a header may ask a server for another method, and since 8.3
 * `--write-out` has `%output{file}`.
 */
export const checkCurl: CheckArguments = (args) => {
  const read = readOptions(args, CURL);
  if (!read.ok) return read.error;
  const bad = read.value.operands.find((word) => !isWebAddress(word));
  if (bad !== undefined) return `${quoteText(bad.raw)} is not a web address`;
  return checkControls(args) ?? read.value.values.map(checkValue).find((reason) => reason !== null) ?? null;
};

function isWebAddress({ text, expands }: Word): boolean {
  return /^https?:\/\//i.test(text) || (!expands && BARE_HOST.test(text));
}

/** A line break in a header or an address starts another header, or another request. */
function checkControls(args: readonly Word[]): string | null {
  return args.some(({ text }) => /[\n\t]/.test(text))
    ? "an argument of curl holds a line break or tab"
    : null;
}

function checkValue({ option, text, word }: OptionValue): string | null {
  switch (option) {
    case "w":
    case "write-out":
      return word.expands || text.startsWith("@") || text.includes("%output")
        ? "curl's output format may write a file"
        : null;
    case "H":
    case "header": {
      const name = text.split(":", 1)[0]!;
      return /[@$]|method/i.test(name)
        ? `the header ${quoteText(name)} may change the request's method`
        : null;
    }
    default:
      return null;
  }
}
