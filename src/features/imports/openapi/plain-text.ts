/** Controls, bidirectional marks, lone surrogates and the like: invisible characters have no place in a model's context. */
const UNSEEN = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;

/** Text that is looked at of a description: some documents have whole manuals in one. */
const LOOKED_AT = 8;

/**
 * A document's text as one line without markup that only a browser reads, cut at a word, with an ellipsis where it was.
 *
 * @param most characters it has at the end, the ellipsis among them
 */
export function plainText(text: string, most: number): string {
  const line = text
    .slice(0, most * LOOKED_AT)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, " ")
    .replaceAll(/!?\[([^[\]]{0,200})\]\([^()]{0,500}\)/g, "$1")
    .replaceAll(UNSEEN, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutAtWord(line, most);
}

/** Text of at most so many characters, cut after a whole word. */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const space = cut.lastIndexOf(" ");
  const kept = (space > most / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff\s,;:.–-]+$/u, "");
  return `${kept}…`;
}

/** The first sentence of a line. */
export function firstSentence(line: string): string {
  return /^.{10,}?[.!?](?= |$)/.exec(line)?.[0].replace(/\.$/, "") ?? line;
}
