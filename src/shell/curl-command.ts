import { checkOptions } from "./check-options.ts";
import type { OptionValue } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";
import type { Word } from "./token.ts";

/** Curl guesses a protocol from a host's first label; `dict://` and `ldap://` can do more than read. */
const BARE_HOST = /^(?!(?:dict|ftp|ldap|imap|smtp|pop3)\.)[\w.-]+(?::\d+)?(?:[/?]|$)/i;

/**
 * Prove `curl` harmless: a GET or HEAD of web addresses that writes no file.
 *
 * `gopher:` and `dict:` would send arbitrary bytes, a header may ask a server for another method, and since 8.3
 * `--write-out` has `%output{file}`.
 */
export const checkCurl = checkOptions(
  {
    flags: "#046fGgIikLNnqSsv",
    values: "AbeHmruw",
    long:
      "compressed fail fail-with-body get globoff head http1.1 http2 include insecure ipv4 ipv6 location no-buffer " +
      "no-progress-meter progress-bar show-error silent verbose",
    longValues:
      "connect-timeout cookie header max-redirs max-time range referer retry retry-delay retry-max-time user " +
      "user-agent write-out",
  },
  ({ operands, values }) => {
    const bad = operands.find((word) => !isWebAddress(word));
    if (bad !== undefined) return `${quoteText(bad.raw)} is not a web address`;
    // A line break in a header or an address starts another header, or another request.
    if ([...operands, ...values].some(({ text }) => /[\n\t]/.test(text)))
      return "an argument of curl holds a line break or tab";
    return values.map(checkValue).find((reason) => reason !== null) ?? null;
  },
);

function isWebAddress({ text, expands }: Word): boolean {
  return /^https?:\/\//i.test(text) || (!expands && BARE_HOST.test(text));
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
