import { refuse } from "./google-errors.ts";

/** A mail as it was sent. */
interface ParsedMail {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string;
}

const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+$/;

/**
 * Parse a mail of one text part that came as base64url, as strictly as RFC 5322, 2045 and 2047 are written: a receiving
 * server may refuse whatever is not.
 */
export function parseMail(raw: string): ParsedMail {
  const bytes = decode(raw.replaceAll("-", "+").replaceAll("_", "/"));
  const mail = String.fromCharCode(...bytes);
  if (/(?<!\r)\n|\r(?!\n)/.test(mail)) throw invalid("a line that does not end in CRLF");
  const at = mail.indexOf("\r\n\r\n");
  if (at === -1) throw invalid("no empty line behind the headers");
  const head = mail.slice(0, at);
  if (/[^\x20-\x7e\r\n]/.test(head)) throw invalid("a header that is not ASCII");
  if (mail.split("\r\n").some((line) => line.length > 998)) throw invalid("a line that is too long");
  const headers = head
    .replaceAll(/\r\n(?=[ \t])/g, "")
    .split("\r\n")
    .map(parseHeader);
  const names = headers.map(({ name }) => name.toLowerCase());
  if (new Set(names).size !== names.length) throw invalid("a header that comes twice");
  const valueOf = (name: string): string => headers[names.indexOf(name)]?.value ?? "";
  const recipients = ["to", "cc", "bcc"].flatMap((name) => valueOf(name).split(",")).map((one) => one.trim());
  const named = recipients.filter((one) => one !== "");
  if (named.length === 0) throw refuse(400, "invalidArgument", "Recipient address required");
  if (!named.every((one) => ADDRESS.test(one))) throw refuse(400, "invalidArgument", "Invalid To header");
  if (valueOf("mime-version") !== "1.0") throw invalid("no MIME-Version");
  if (!/^text\/plain; charset="?utf-8"?$/i.test(valueOf("content-type")))
    throw invalid("another Content-Type");
  if (valueOf("content-transfer-encoding") !== "base64") throw invalid("another Content-Transfer-Encoding");
  const body = mail.slice(at + 4);
  if (body.split("\r\n").some((line) => line.length > 76)) throw invalid("a line of base64 that is too long");
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
    decode(body.replaceAll("\r\n", "")),
  );
  return { headers, text };
}

function parseHeader(line: string): { name: string; value: string } {
  const [, name, value] = /^([\x21-\x39\x3b-\x7e]+): ?(.*)$/.exec(line) ?? [];
  if (name === undefined) throw invalid("a header without a name");
  return { name, value: decodeWords(value!) };
}

/** RFC 2047: blanks between encoded words are none. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/(=\?[^?]+\?[BbQq]\?[^?]*\?=)\s+(?==\?)/g, "$1")
    .replaceAll(
      /=\?([^?]+)\?([BbQq])\?([^?]*)\?=/g,
      (word, charset: string, encoding: string, text: string) => {
        if (word.length > 75 || charset.toLowerCase() !== "utf-8" || encoding.toLowerCase() !== "b")
          throw invalid("an encoded word of another form");
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(decode(text));
      },
    );
}

function decode(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  } catch {
    throw invalid("base64 that is none");
  }
}

function invalid(why: string): Error {
  return refuse(400, "invalidArgument", `Invalid mail: ${why}`);
}
