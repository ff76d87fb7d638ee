import { checkOptions, type OptionValue } from "./read-options.ts";
import { quoteText } from "./split-commands.ts";
import type { Word } from "./tokenize.ts";

/** Curl guesses a protocol from a host's first label; `dict://` and `ldap://` can do more than read. */
const BARE_HOST = /^(?!(?:dict|ftp|ldap|imap|smtp|pop3)\.)[\w.-]+(?::\d+)?(?:[/?]|$)/i;

/** Names of headers, and of fields in an address or a cookie, by which servers are asked for another method than GET. */
const OVERRIDING_HEADER = /method|override|verb/i;
const OVERRIDING_FIELD = /_method|method[-_]?override|http[-_]?method|http[-_]?verb/i;

/** Options whose value is a file to write, and values that are not. */
const WRITING = ["o", "output", "D", "dump-header"];
const NO_FILE = new Set(["/dev/null", "-"]);

/**
 * Prove `curl` harmless: a GET or HEAD of web addresses that writes no file.
 *
 * `gopher:` and `dict:` would send arbitrary bytes, a header or a field may ask a server for another method, and since 8.3
 * `--write-out` has `%output{file}`.
 */
export const checkCurl = checkOptions(
  {
    flags: "#046fGgIikLNnqSsv",
    values: "AbDeHmoruw",
    long:
      "compressed fail fail-with-body get globoff head http1.1 http2 include insecure ipv4 ipv6 location no-buffer " +
      "no-progress-meter progress-bar show-error silent verbose",
    longValues:
      "connect-timeout cookie dump-header header max-redirs max-time output range referer retry retry-delay " +
      "retry-max-time user user-agent write-out",
  },
  ({ operands, values, unvalued }) => {
    if (WRITING.some((option) => unvalued.has(option))) return "curl writes a file";
    const bad = operands.find((word) => !isWebAddress(word));
    if (bad !== undefined) return `${quoteText(bad.raw)} is not a web address`;
    // A line break in a header or an address starts another header, or another request.
    if ([...operands, ...values].some(({ text }) => /[\n\t]/.test(text)))
      return "an argument of curl holds a line break or tab";
    const asking = operands.find(({ text }) => OVERRIDING_FIELD.test(decodePercent(text)));
    if (asking !== undefined) return `${quoteText(asking.raw)} may change the request's method`;
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
      return /[@$]/.test(name) || OVERRIDING_HEADER.test(name)
        ? `the header ${quoteText(name)} may change the request's method`
        : null;
    }
    case "b":
    case "cookie":
      return OVERRIDING_FIELD.test(decodePercent(text)) ? "a cookie may change the request's method" : null;
    default:
      return WRITING.includes(option) && (word.expands || !NO_FILE.has(text)) ? "curl writes a file" : null;
  }
}

function decodePercent(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
