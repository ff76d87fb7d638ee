const MARK = "[redacted]";
/** Shorter secrets are ignored: as part of ordinary words they would be found everywhere, and hide nothing. */
const MIN_LENGTH = 6;

const encoder = new TextEncoder();

/**
 * Create a function that replaces every occurrence of the secrets in serialised JSON (as `JSON.stringify` writes it) by
 * `[redacted]`: raw, JSON-escaped, percent-encoded, and in base64 or base64url wherever they begin in what was encoded,
 * so `base64("user:" + secret)` is found as well.
 *
 * The result is always valid JSON, because replacing happens inside decoded strings and never across them; a number that
 * contains a secret becomes a string. Text without an occurrence is returned as it is, at the price of one search per
 * spelling.
 *
 * @example
 * createRedactor(["s3cr3t-key"])('{"echo":"Bearer s3cr3t-key"}'); // '{"echo":"Bearer [redacted]"}'
 */
export function createRedactor(secrets: readonly string[]): (json: string) => string {
  // Longest first: a secret that begins with another one is replaced whole.
  const needles = [...new Set(secrets.flatMap((secret) => spellings(secret.trim())))]
    .sort((a, b) => b.length - a.length)
    .map((plain) => ({ plain, written: JSON.stringify(plain).slice(1, -1) }));
  if (needles.length === 0) return (json) => json;

  return (json) => {
    const found = needles.filter(({ written }) => json.includes(written));
    return found.length === 0 ? json : redactTokens(json, found);
  };
}

/** A spelling of a secret, as it is in a string and as JSON writes it. */
interface Needle {
  readonly plain: string;
  readonly written: string;
}

/** Every way a secret may be written inside a decoded string. */
function spellings(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  return [secret, ...base64Forms(secret)].flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    // Some serialisers escape the slash, and base64 has slashes.
    JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
    ...percentForms(text),
  ]);
}

/** What encoders leave as it is: `encodeURIComponent`, RFC 3986, HTML forms, `encodeURI`. */
const KEPT = [/[\w\-.!~*'()]/, /[\w\-.~]/, /[\w\-.*]/, /[\w\-.!~*'();,/?:@&=+$#]/];

function percentForms(text: string): string[] {
  const bytes = [...encoder.encode(text)];
  return KEPT.flatMap((kept) => {
    const encode = (hex: (byte: number) => string): string =>
      bytes
        .map((byte) => (kept.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${hex(byte)}`))
        .join("");
    const lower = encode((byte) => byte.toString(16).padStart(2, "0"));
    const upper = encode((byte) => byte.toString(16).padStart(2, "0").toUpperCase());
    return [lower, upper, lower.replaceAll("%20", "+"), upper.replaceAll("%20", "+")];
  });
}

/**
 * The base64 digits that depend on the secret alone, for each of the three places in a group of three bytes where it can
 * begin. The digits around them share bits with the neighbours and are left.
 */
function base64Forms(secret: string): string[] {
  const bytes = encoder.encode(secret);
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array([...new Uint8Array(offset), ...bytes]);
    const digits = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""));
    const own = digits.slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Walk the text string by string: what matches inside one cannot reach into the structure around it. */
function redactTokens(json: string, needles: readonly Needle[]): string {
  // Most strings and numbers of a large answer are too short to hold any.
  const shortest = Math.min(...needles.map(({ plain }) => plain.length));
  let result = "";
  let written = 0;
  let at = 0;
  const redact = (from: number, to: number, clean: (part: string, needles: readonly Needle[]) => string) => {
    if (to - from < shortest) return;
    const part = json.slice(from, to);
    const cleaned = clean(part, needles);
    if (cleaned === part) return;
    result += json.slice(written, from) + cleaned;
    written = to;
  };
  while (at < json.length) {
    const open = json.indexOf('"', at);
    redact(at, open === -1 ? json.length : open, redactNumbers);
    if (open === -1) break;
    at = endOfString(json, open);
    redact(open, at, redactString);
  }
  return written === 0 ? json : result + json.slice(written);
}

function redactString(token: string, needles: readonly Needle[]): string {
  if (!needles.some(({ written }) => token.includes(written))) return token;
  // Replacing in text with escapes could cut one in two: `nabcde` also stands in `\nabcde`.
  const isPlain = !token.includes("\\");
  const text = isPlain ? token.slice(1, -1) : (JSON.parse(token) as string);
  const clean = needles.reduce((rest, { plain }) => rest.replaceAll(plain, MARK), text);
  if (clean === text) return token;
  return isPlain ? `"${clean}"` : JSON.stringify(clean);
}

function redactNumbers(gap: string, needles: readonly Needle[]): string {
  return gap.replaceAll(/[-\d][\d.eE+-]*/g, (number) =>
    needles.some(({ plain }) => number.includes(plain)) ? `"${MARK}"` : number,
  );
}

/** The index after the quote that closes the string opened at `open`. */
function endOfString(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  throw new Error("Cannot redact: the text is not JSON");
}
