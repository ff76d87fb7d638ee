import { stemmer } from "stemmer";

/** A letter of a script that puts no spaces between words. */
const UNSPACED = String.raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{N}\p{M}]]`;
/** Any other letter or digit. */
const SPACED = String.raw`[[\p{L}\p{N}\p{M}]--${UNSPACED}]`;
/** The same for text without any other letters, several times as fast. */
const ASCII_CHUNK = /[a-z0-9]+(?:[-_.][a-z0-9]+)*/gi;

/** Made when first used: its sets of characters cost a start as much as a hundred kilobytes of script. */
let patterns: { readonly chunk: RegExp; readonly isUnspaced: RegExp } | undefined;

function patternsOfScripts(): NonNullable<typeof patterns> {
  patterns ??= {
    chunk: new RegExp(`${UNSPACED}+|${SPACED}+(?:[\\-_.]${SPACED}+)*`, "gv"),
    isUnspaced: new RegExp(`^${UNSPACED}`, "v"),
  };
  return patterns;
}

/**
 * The words that a chunk of text about a tool is found by: `getUserOrders`, `get_user_orders` and `get-user-orders` are
 * `get`, `user` and `orders`, `oauth2` is `oauth` and `2`. Words that were written as one are also found as they were:
 * `userorders`, `oauth2`.
 */
export function toWords(chunk: string): string[] {
  const parts = toParts(chunk);
  if (!isAscii(chunk) && patternsOfScripts().isUnspaced.test(chunk))
    return [...parts, ...Array.from(fold(chunk))];
  if (parts.length === 1) return parts;
  return [...parts, ...joinNeighbours(parts), parts.join("")];
}

/** The pieces between spaces and punctuation; `-`, `_` and `.` inside a name do not separate. */
export function toChunks(text: string): string[] {
  return text.match(isAscii(text) ? ASCII_CHUNK : patternsOfScripts().chunk) ?? [];
}

/** The words of a chunk: separated by `-`, `_` and `.`, by a change of case, and by digits. */
export function toParts(chunk: string): string[] {
  // Nearly every word of a text.
  return /^[A-Z]?[a-z]+$/.test(chunk) ? [chunk.toLowerCase()] : toCaselessParts(splitAtCapitals(chunk));
}

/**
 * The words of a chunk whatever the case of its letters. Where a script does not show them, any two neighbouring
 * characters may be one.
 */
export function toCaselessParts(chunk: string): string[] {
  const folded = fold(chunk);
  if (isAscii(folded)) return folded.match(/[a-z]+|\d+/g) ?? [];
  if (patternsOfScripts().isUnspaced.test(chunk)) {
    const characters = Array.from(folded);
    return characters.length > 1 ? joinNeighbours(characters) : characters;
  }
  const split = folded.replaceAll(/(\p{N})(?=\p{L})|(\p{L})(?=\p{N})/gu, "$1$2 ");
  return split.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Each word with the next, as one: `e-mail` as `email`, `log in` as `login`. */
export function joinNeighbours(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => words[at]! + word);
}

/** A name without case and punctuation. */
export function compact(name: string): string {
  return toCaselessParts(name).join("");
}

/** Text without the difference between cases, widths and accents: `Café` is `cafe`. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (isAscii(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

/** `HTTPRequest` is two words and `URLs` is one. */
function splitAtCapitals(chunk: string): string {
  if (chunk === chunk.toLowerCase()) return chunk;
  return chunk
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu, "$1 $2");
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

/** Forms that no rule of endings joins to their word; each entry is the word, then its forms. */
const IRREGULAR_FORMS = `begin began begun, bind bound, bite bit bitten, break broke broken, bring brought, build built,
  buy bought, catch caught, choose chose chosen, deal dealt, draw drew drawn, drink drank drunk, drive drove driven,
  eat ate eaten, feed fed, fly flew flown, forget forgot forgotten, freeze froze frozen, get got gotten, give gave given,
  go went gone, grow grew grown, hear heard, hide hid hidden, hold held, keep kept, know knew known, leave left,
  lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring rang rung, rise rose risen,
  run ran, say said, see saw seen, sell sold, send sent, shake shook shaken, show shown, sing sang sung, sleep slept,
  speak spoke spoken, spend spent, steal stole stolen, swim swam swum, take took taken, teach taught, tell told,
  think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, win won,
  withdraw withdrew withdrawn, write wrote written, child children, person people, index indices, matrix matrices,
  vertex vertices, criterion criteria`;

const BASES: ReadonlyMap<string, string> = new Map(
  IRREGULAR_FORMS.split(",").flatMap((entry) => {
    const [base, ...forms] = entry.trim().split(" ");
    return forms.map((form) => [form, base!] as const);
  }),
);

/**
 * Cut an English word (lower case) to the part that its forms share: `meetings` and `meeting`, `sent` and `send`. The stem need
 * not be a word. Porter's rules; words with other letters than a to z stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  return stemmer(BASES.get(word) ?? word);
}
