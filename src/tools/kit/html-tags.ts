import { getOrMake } from "../../core/kit/get-or-make.ts";

/** A tag, a comment or another piece of markup, and where it stands. */
export interface Tag {
  readonly from: number;
  /** Behind its `>`; the end of the text if it has none. */
  readonly to: number;
  /** In lower case; empty for what is no element. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly isHidden: boolean;
  /** It is an `svg` or `math` that is closed at once; HTML's own elements cannot be. */
  readonly isEmpty: boolean;
}

/** The characters after `<` that begin markup (HTML, 13.2.5.6); any other is text. */
const BEGINNING = /<[a-z/!?]/gi;
const NAME = /[a-z][^\s/>]*/iy;
const HIDDEN = /hidden(?=[\s=/>])/iy;
/** Names are looked up only, and no element has a longer one. */
const NAME_CHARACTERS = 20;

const BLANKS = new Set([9, 10, 12, 13, 32]);
const QUOTES = new Map([
  [34, '"'],
  [39, "'"],
]);
const [SLASH, EQUALS, GREATER, CAPITAL_H, SMALL_H] = [47, 61, 62, 72, 104];

/**
 * Find the next piece of markup, as a browser would take it for one; null when there is none any more. A reader that goes on
 * behind it looks at every character once.
 */
export function nextTag(html: string, at: number): Tag | null {
  BEGINNING.lastIndex = at;
  const from = BEGINNING.exec(html)?.index;
  if (from === undefined) return null;
  const isEnd = html.charCodeAt(from + 1) === SLASH;
  NAME.lastIndex = isEnd ? from + 2 : from + 1;
  const found = NAME.exec(html)?.[0];
  if (found === undefined) return { from, to: endOfOther(html, from), ...NO_ELEMENT };
  const name = found.slice(0, NAME_CHARACTERS).toLowerCase();
  const { to, isHidden } = readAttributes(html, NAME.lastIndex);
  const isEmpty = (name === "svg" || name === "math") && html.charCodeAt(to - 2) === SLASH;
  return { from, to, name, isEnd, isHidden, isEmpty };
}

const NO_ELEMENT = { name: "", isEnd: false, isHidden: false, isEmpty: false };

/** Where a comment, a doctype or a processing instruction ends. */
function endOfOther(html: string, from: number): number {
  // `<!-->` and `<!--->` are comments of their own.
  const [end, start] = html.startsWith("<!--", from) ? ["-->", from + 2] : [">", from + 2];
  const at = html.indexOf(end, start);
  return at === -1 ? html.length : at + end.length;
}

/** Read from the end of a tag's name to its `>`: a quote only counts behind `=` (HTML, 13.2.5.32 to 13.2.5.38). */
function readAttributes(html: string, from: number): { readonly to: number; readonly isHidden: boolean } {
  let isHidden = false;
  let isNameNext = true;
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === GREATER) return { to: at + 1, isHidden };
    if (code === EQUALS) {
      at = endOfValue(html, at + 1);
      isNameNext = true;
      continue;
    }
    const isBetween = BLANKS.has(code) || code === SLASH;
    if (isNameNext && (code === SMALL_H || code === CAPITAL_H)) {
      HIDDEN.lastIndex = at;
      isHidden ||= HIDDEN.test(html);
    }
    isNameNext = isBetween;
    at += 1;
  }
  return { to: html.length, isHidden };
}

function endOfValue(html: string, from: number): number {
  let at = from;
  while (BLANKS.has(html.charCodeAt(at))) at += 1;
  const quote = QUOTES.get(html.charCodeAt(at));
  if (quote !== undefined) {
    const end = html.indexOf(quote, at + 1);
    return end === -1 ? html.length : end + 1;
  }
  while (at < html.length && html.charCodeAt(at) !== GREATER && !BLANKS.has(html.charCodeAt(at))) at += 1;
  return at;
}

const ends = new Map<string, RegExp>();

/** Where the tag begins that ends an element in which nothing else is markup; the end of the text where it never does. */
export function endOfRawText(html: string, name: string, from: number): number {
  const end = getOrMake(ends, name, () => new RegExp(`</${name}(?=[\\s/>])`, "gi"));
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}
