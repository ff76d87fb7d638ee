import { endOfString } from "../contract/parse-json.ts";

/** Stands in place of a secret. */
export const MARK = "[redacted]";
/** Shorter secrets are ignored: as part of ordinary words they would be found everywhere, and hide nothing. */
const MIN_LENGTH = 6;

/**
 * Create a function that replaces every occurrence of the secrets in serialised JSON (as `JSON.stringify` writes it) by
 * `[redacted]`, however it is written:
 *
 * - character by character as it is, percent-encoded, as an HTML entity or escaped as in JSON or a program, each of them
 *   once or several times over, in any mixture;
 * - as hex digits, with separators or without;
 * - in base64 or base64url, wherever it begins in what was encoded (so `base64("user:" + secret)` is found) and wherever
 *   the lines are broken.
 *
 * The result is always valid JSON, because replacing happens inside decoded strings and never across them; a number that
 * contains a secret becomes a string. Text without an occurrence is returned as it is, at the price of one look at each
 * character. Time is linear in the text, because a mismatch is found after a few characters unless the text repeats the
 * secret's beginning, and no two beginnings of a secret overlap unless it repeats itself.
 *
 * @example
 * createRedactor(["s3cr3t-key"])('{"echo":"Bearer s3cr3t-key"}'); // '{"echo":"Bearer [redacted]"}'
 */
export function createRedactor(secrets: readonly string[]): (json: string) => string {
  const worthwhile = worthHiding(secrets);
  if (worthwhile.length === 0) return (json) => json;
  const find = createFinder(worthwhile.flatMap(toForms));
  return (json) => {
    const found = find(json, 0);
    return found === null ? json : redactTokens(json, find, found);
  };
}

/** The part of a text in pieces that can be passed on, and the part that waits for its next piece. */
export interface Redacted {
  readonly clean: string;
  readonly held: string;
}

/**
 * Create the same for text that comes in pieces and is no JSON: what may be the beginning of a secret is held, to be given
 * again before the next piece. Behind the last piece nothing is.
 *
 * @example
 * const redact = createPieceRedactor(["s3cr3t-key"]);
 * redact("It is s3cr", false); // { clean: "It is ", held: "s3cr" }
 */
export function createPieceRedactor(secrets: readonly string[]): (text: string, isLast: boolean) => Redacted {
  const worthwhile = worthHiding(secrets);
  if (worthwhile.length === 0) return (text) => ({ clean: text, held: "" });
  const find = createFinder(worthwhile.flatMap(toForms));
  const longest = Math.max(...worthwhile.map(({ length }) => length));
  const held = HELD_BREAKS + HELD_PER_CHARACTER * longest;
  return (text, isLast) => redactText(text, find, isLast ? undefined : Math.max(0, text.length - held));
}

/**
 * The most that is held of a text: an escape for each character of a secret, and what may stand between them. More would let
 * who writes endless escapes in small pieces have all of them read again for each.
 */
const HELD_PER_CHARACTER = 8;
const HELD_BREAKS = 512;

function worthHiding(secrets: readonly string[]): readonly string[] {
  const trimmed = secrets.map((secret) => secret.trim());
  return [...new Set(trimmed)].filter(({ length }) => length >= MIN_LENGTH);
}

/**
 * Walk the text string by string: what matches inside one cannot reach into the structure around it. A secret that stands in a
 * string once escaped is found in the escaped text too, because escaped text is one of the ways; so a string in which nothing is
 * found is not decoded.
 *
 * @param first the first place where something is found in all of the text
 */
function redactTokens(json: string, find: Find, first: Span): string {
  let found: Span | null = first;
  const isIn = (start: number, end: number): boolean => {
    if (found !== null && found.end <= start) found = find(json, start);
    return found !== null && found.start < end;
  };
  let result = "";
  let at = 0;
  while (at < json.length) {
    const quote = json.indexOf('"', at);
    const open = quote === -1 ? json.length : quote;
    const gap = json.slice(at, open);
    result += isIn(at, open) ? redactNumbers(gap, find) : gap;
    if (quote === -1) break;
    at = endOfString(json, open) + 1;
    const token = json.slice(open, at);
    result += isIn(open, at) ? redactString(token, find) : token;
  }
  return result;
}

/** Replacing in the text as written could cut an escape in two: `nabcde` also stands in `\nabcde`. */
function redactString(token: string, find: Find): string {
  const text = JSON.parse(token) as string;
  const { clean } = redactText(text, find);
  return clean === text ? token : JSON.stringify(clean);
}

function redactText(text: string, find: Find, openFrom?: number): Redacted {
  let clean = "";
  let at = 0;
  for (let span = find(text, 0, openFrom); span !== null; span = find(text, at, openFrom)) {
    clean += text.slice(at, span.start);
    if (span.end > text.length) return { clean, held: text.slice(span.start) };
    clean += MARK;
    at = span.end;
  }
  return { clean: clean + text.slice(at), held: "" };
}

function redactNumbers(gap: string, find: Find): string {
  return gap.replaceAll(/[-\d][\d.eE+-]*/g, (number) => (find(number, 0) === null ? number : `"${MARK}"`));
}

/**
 * Find the first place, from `from` on, where a secret stands; those that overlap are one. From `openFrom` on a place where one
 * may begin that goes on behind the text is found too, and has no end.
 */
type Find = (text: string, from: number, openFrom?: number) => Span | null;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** One way in which a secret may be written. */
interface Form {
  /** The characters that it may begin with, decoded. */
  readonly first: readonly number[];
  /** Where it ends in `text` when it begins at `at`; -1 when it does not. */
  readonly endAt: (text: string, at: number) => number;
}

/** Create a search that tries, at each character, only the forms which begin with it. */
function createFinder(forms: readonly Form[]): Find {
  const beginWith = (isIt: (code: number) => boolean): readonly Form[] =>
    forms.filter(({ first }) => first.some(isIt));
  const narrow = Array.from({ length: 128 }, (_, code) => beginWith((one) => one === code));
  // One byte of such a character, where it is percent-encoded, does not tell which it is.
  const wide = beginWith((one) => one >= 128);
  const formsAt = (code: number): readonly Form[] => (code < 128 ? narrow[code]! : wide);
  const isStart = Uint8Array.from(narrow, ({ length }, code) => (length > 0 || isEscape(code) ? 1 : 0));

  const endAt = (text: string, at: number): number => {
    const code = text.charCodeAt(at);
    const end = longestOf(formsAt(code), text, at);
    // Within a run of backslashes there is nothing that is not found at its beginning.
    if (!isEscape(code) || (code === BACKSLASH && text.charCodeAt(at - 1) === BACKSLASH)) return end;
    const escaped = readEscape(text, at);
    return escaped < 0 || escaped === code ? end : Math.max(end, longestOf(formsAt(escaped), text, at));
  };

  return (text, from, openFrom = Number.POSITIVE_INFINITY) => {
    for (let start = from; start < text.length; start += 1) {
      const code = text.charCodeAt(start);
      if (isStart[code] === 0) continue;
      ranOut = false;
      let end = endAt(text, start);
      for (let at = start + 1; at < end; at += 1) end = Math.max(end, endAt(text, at));
      if (ranOut && start >= openFrom) return { start, end: Number.POSITIVE_INFINITY };
      if (end >= 0) return { start, end };
    }
    return null;
  };
}

function longestOf(forms: readonly Form[], text: string, at: number): number {
  let longest = -1;
  for (const form of forms) longest = Math.max(longest, form.endAt(text, at));
  return longest;
}

function toForms(secret: string): Form[] {
  const bytes = [...new TextEncoder().encode(secret)];
  return [toTextForm(secret), toHexForm(bytes), ...[0, 1, 2].map((offset) => toBase64Form(bytes, offset))];
}

function toTextForm(secret: string): Form {
  // How many backslashes there are depends on how often they were escaped.
  const characters = Array.from(secret.replaceAll(/\\+/g, "\\"), (character) => character.codePointAt(0)!);
  const endAt = (text: string, at: number, from = 0): number => {
    let isEscaped = false;
    for (let next = from; next < characters.length; next += 1) {
      const wanted = characters[next]!;
      const code = codeAt(text, at);
      if (code === wanted && !isEscape(code)) {
        isEscaped = false;
        at += 1;
        continue;
      }
      if (wanted === PERCENT || wanted === AMPERSAND) {
        const ends = endsOf(wanted, text, at).map((end) => endAt(text, end, next + 1));
        return Math.max(-1, ...ends);
      }
      let end = endOf(wanted, text, at);
      // Behind the secret's own backslashes, an escape has lost its own.
      if (isEscaped && readEscapeBody(text, at) === wanted) end = escapeEnd;
      if (end < 0) return -1;
      isEscaped = wanted === BACKSLASH;
      at = end;
    }
    return at;
  };
  return { first: [characters[0]!], endAt: (text, at) => endAt(text, at) };
}

function toHexForm(bytes: readonly number[]): Form {
  const endAt = (text: string, at: number): number => {
    for (let index = 0; index < bytes.length; index += 1, at += 2) {
      if (readHex(text, at, 2) === bytes[index]) continue;
      if (index === 0) return -1;
      at = skip(text, at, isSeparator);
      if (codeAt(text, at) === ZERO && (codeAt(text, at + 1) | 0x20) === SMALL_X) at += 2;
      if (readHex(text, at, 2) !== bytes[index]) return -1;
    }
    return at;
  };
  const digit = (bytes[0]! >> 4).toString(16);
  return { first: [digit, digit.toUpperCase()].map((one) => one.charCodeAt(0)), endAt };
}

/**
 * The base64 digits that depend on the secret alone, for one of the three places in a group of three bytes where it can
 * begin. The digits around them share bits with the neighbours and are left.
 */
function toBase64Form(bytes: readonly number[], offset: number): Form {
  const padded = [...[0, 0].slice(0, offset), ...bytes];
  const all = btoa(padded.map((byte) => String.fromCharCode(byte)).join(""));
  const own = all.slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6));
  const urlSafe = codesOf(own.replaceAll("+", "-").replaceAll("/", "_"));
  const digits = codesOf(own);
  const endAt = (text: string, at: number): number => {
    for (let index = 0; index < digits.length; index += 1) {
      const [digit, other] = [digits[index]!, urlSafe[index]!];
      const code = codeAt(text, at);
      if (code === digit || code === other) {
        at += 1;
        continue;
      }
      if (!isBlank(code) && !isEscape(code)) return -1;
      at = skip(text, at, isBlank);
      const end = Math.max(endOf(digit, text, at), endOf(other, text, at));
      if (end < 0) return -1;
      at = end;
    }
    return at;
  };
  return { first: [digits[0]!, urlSafe[0]!], endAt };
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => codeAt(text, at));
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const SPACE = 0x20;
const NUMBER_SIGN = 0x23;
const SEMICOLON = 0x3b;
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];
const [ZERO, NINE] = [0x30, 0x39];
const [SMALL_A, SMALL_F, SMALL_Z] = [0x61, 0x66, 0x7a];
const [SMALL_U, SMALL_X] = [0x75, 0x78];

function isEscape(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND;
}

function isBlank(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13);
}

/** Separators stand between bytes in hex: `73:65`, `73 65`, `0x73, 0x65`. */
function isSeparator(code: number): boolean {
  return isBlank(code) || ":,;-_.".includes(String.fromCharCode(code));
}

/** The longest break between digits: a line break with some indentation, or a separator. */
const LONGEST_BREAK = 32;

/** Skip what may stand between two digits, escaped or not. */
function skip(text: string, at: number, isSkipped: (code: number) => boolean): number {
  for (let skipped = 0; skipped < LONGEST_BREAK; skipped += 1) {
    const code = codeAt(text, at);
    if (isSkipped(code)) at += 1;
    else if (isEscape(code) && isSkipped(readEscape(text, at))) at = escapeEnd;
    else break;
  }
  return at;
}

/** Where the character `wanted` ends, written in any way, when it begins at `at`; -1 when it does not. */
function endOf(wanted: number, text: string, at: number): number {
  const code = codeAt(text, at);
  if (!isEscape(code)) {
    if (code === wanted || (wanted === SPACE && code === PLUS)) return at + 1;
    return text.codePointAt(at) === wanted ? at + 2 : -1;
  }
  if (wanted === BACKSLASH) return endOfBackslashes(text, at);
  // In several parts first: the first byte of `Ã` in UTF-8 is `Ã` itself.
  const end = wanted < 128 ? -1 : endOfWide(wanted, text, at);
  if (end >= 0) return end;
  return readEscape(text, at) === wanted ? escapeEnd : -1;
}

function endOfWide(wanted: number, text: string, at: number): number {
  const character = String.fromCodePoint(wanted);
  const end = wanted > 0xffff ? endOfParts([character.charCodeAt(0), character.charCodeAt(1)], text, at) : -1;
  return end >= 0 ? end : endOfParts([...new TextEncoder().encode(character)], text, at);
}

/** A character that is escaped in several parts: two UTF-16 units, or the bytes of its UTF-8. */
function endOfParts(parts: readonly number[], text: string, at: number): number {
  for (const part of parts) {
    if (readEscape(text, at) !== part) return -1;
    at = escapeEnd;
  }
  return at;
}

/** Where backslashes end, however many there are, as they are or escaped otherwise; -1 when there is none. */
function endOfBackslashes(text: string, at: number): number {
  let end = -1;
  for (let next = at; readEscape(text, next) === BACKSLASH; next = end) end = escapeEnd;
  return end < 0 && codeAt(text, at) === BACKSLASH ? endOfRun(text, at) : end;
}

function endOfRun(text: string, at: number): number {
  while (codeAt(text, at) === BACKSLASH) at += 1;
  return at;
}

/** Where a percent sign or an ampersand may end: each may be one as it is, or begin another escape. */
function endsOf(wanted: number, text: string, at: number): number[] {
  const code = codeAt(text, at);
  const ends = code === wanted ? [at + 1] : [];
  if (!isEscape(code)) return ends;
  let read = readOneEscape(text, at);
  for (let depth = 0; depth < MAX_DEPTH && read >= 0; depth += 1) {
    if (read === wanted) ends.push(escapeEnd);
    read = readDeeper(read, text, escapeEnd);
  }
  return ends;
}

/** How often what was escaped is escaped again. */
const MAX_DEPTH = 8;

/**
 * Whether something was looked for behind the end of a text: of more text it might be a secret. It stands beside the result
 * for the same reason as `escapeEnd`.
 */
let ranOut = false;

function codeAt(text: string, at: number): number {
  if (at >= text.length) ranOut = true;
  return text.charCodeAt(at);
}

/** Where what was read last ends: a result beside the result, because this is read for every escape in a text. */
let escapeEnd = 0;

/** Read the character that an escape at `at` stands for, through escapes of its own characters; -1 if it is not one. */
function readEscape(text: string, at: number): number {
  let code = readOneEscape(text, at);
  for (let depth = 0; (code === PERCENT || code === AMPERSAND) && depth < MAX_DEPTH; depth += 1) {
    const end = escapeEnd;
    const deeper = readDeeper(code, text, end);
    if (deeper < 0) {
      escapeEnd = end;
      break;
    }
    code = deeper;
  }
  return code;
}

function readDeeper(code: number, text: string, at: number): number {
  if (code === PERCENT) return readPercentBody(text, at);
  return code === AMPERSAND ? readEntityBody(text, at) : -1;
}

function readOneEscape(text: string, at: number): number {
  switch (codeAt(text, at)) {
    case PERCENT:
      return readPercentBody(text, at + 1);
    case AMPERSAND:
      return readEntityBody(text, at + 1);
    case BACKSLASH:
      return readEscapeBody(text, endOfRun(text, at));
    default:
      return -1;
  }
}

/** Two hex digits, each of which may be percent-encoded itself. */
function readPercentBody(text: string, at: number): number {
  const high = readPercentDigit(text, at);
  if (high < 0) return -1;
  const low = readPercentDigit(text, escapeEnd);
  return low < 0 ? -1 : high * 16 + low;
}

function readPercentDigit(text: string, at: number): number {
  const code = codeAt(text, at);
  escapeEnd = at + 1;
  if (code !== PERCENT) return hexValueOf(code);
  escapeEnd = at + 3;
  return hexValueOf(readHex(text, at + 1, 2));
}

/** Read the text behind a backslash: `n`, `u0041`, `u{41}`, `x41`, or a character that is no letter. */
function readEscapeBody(text: string, at: number): number {
  const code = codeAt(text, at);
  escapeEnd = at + 1;
  const control = CONTROLS.indexOf(String.fromCharCode(code));
  if (control >= 0) return 8 + control;
  switch (code) {
    case SMALL_X:
      escapeEnd = at + 3;
      return readHex(text, at + 1, 2);
    case SMALL_U:
      if (codeAt(text, at + 1) === OPENING_BRACE)
        return readDigits(text, at + 2, { base: 16, close: CLOSING_BRACE });
      escapeEnd = at + 5;
      return readHex(text, at + 1, 4);
    default:
      return isWord(code) || Number.isNaN(code) ? -1 : code;
  }
}

/** The letters of the control characters from 8 on. */
const CONTROLS = "btnvfr";

function isWord(code: number): boolean {
  const lower = code | 0x20;
  return (code >= ZERO && code <= NINE) || (lower >= SMALL_A && lower <= SMALL_Z);
}

/** Read the text behind an ampersand: `#65;`, `#x41;`, `quot;`. */
function readEntityBody(text: string, at: number): number {
  if (codeAt(text, at) === NUMBER_SIGN) {
    const isHex = (codeAt(text, at + 1) | 0x20) === SMALL_X;
    return readDigits(text, isHex ? at + 2 : at + 1, { base: isHex ? 16 : 10, close: SEMICOLON });
  }
  let end = at;
  while (end < at + LONGEST_NAME && codeAt(text, end) >= SMALL_A) end += 1;
  escapeEnd = end + 1;
  if (codeAt(text, end) !== SEMICOLON) return -1;
  return ENTITIES.get(text.slice(at, end)) ?? -1;
}

/** Those of HTML that stand for ASCII and that libraries write: each name, and its character behind it. */
const ENTITIES = new Map(
  Array.from(
    "amp&lt<gt>quot\"apos'sol/bsol\\plus+equals=lowbar_colon:semi;period.comma,num#percnt%commat@dollar$excl!quest?ast*lpar(rpar)nbsp grave`".matchAll(
      /([a-z]+)(.)/g,
    ),
    ([, name, character]) => [name, character!.charCodeAt(0)],
  ),
);
const LONGEST_NAME = 6;

/**
 * Read a number of at most eight digits, leading zeros included: a code point has seven.
 *
 * @param close the character behind its digits, which may miss
 */
function readDigits(text: string, at: number, { base, close }: Record<"base" | "close", number>): number {
  let value = 0;
  let next = at;
  for (; next < at + 8; next += 1) {
    const digit = hexValueOf(codeAt(text, next));
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
  }
  escapeEnd = codeAt(text, next) === close ? next + 1 : next;
  return next === at ? -1 : value;
}

/** Read exactly `count` hex digits; -1 when they are none. */
function readHex(text: string, at: number, count: number): number {
  let value = 0;
  for (let next = at; next < at + count; next += 1) {
    const digit = hexValueOf(codeAt(text, next));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexValueOf(code: number): number {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const lower = code | 0x20;
  return lower >= SMALL_A && lower <= SMALL_F ? lower - SMALL_A + 10 : -1;
}
