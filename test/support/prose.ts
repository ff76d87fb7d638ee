/** A sentence of a comment or a page, and the line that its paragraph begins in. */
export interface Sentence {
  readonly line: number;
  readonly text: string;
}

/** Lines that stand together: one comment without its marks, or one paragraph of a page. */
interface Paragraph {
  readonly line: number;
  readonly lines: string[];
}

/** Turns that a reader reads twice: stand-ins for a noun, indefinite persons, negations as nouns, words of another century. */
const TURNS: readonly RegExp[] = [
  /^[^\p{L}]*(?:What|Whatever|Whoever|Whom|Of|Nobody|Nor)\b/u,
  /^Neither (?:is|are|does|do|has|have)\b/,
  /^That is (?:why|what|how)\b/,
  /\b(?:nobody|whoever|whomever)\b(?!'s)/i,
  /\bno one\b(?! place)/i,
  /(?<!for-)\bwhom\b(?! it is\b)/i,
  /\b(?:that|which|what|who|it|one|body|value|address|text|header|charset) (?:is|are|was|were) none\b(?! of)/i,
  /\bwhere (?:it|they|that) (?:says?|said|told|tells?|has|have|names?|is|are) none\b/i,
  /\b(?:is|are|was|told) of none\b/i,
  /because (?:it|they) (?:is|are|does|do|has|have) not[.;]?$/i,
  /\banother (?:one )?than\b/i,
  /\bthat there (?:is|are|was|were) not\b/i,
  /\bhas that (?:may|can|is)\b/i,
  /\bthat which\b/i,
  /\bbut for what\b/i,
  /(?:^|[:;] )what (?:is|was) (?:left|said|asked|sent|kept|read|found|there) (?:is|was|are|stays|goes|comes|counts|has)\b/i,
  /\bas ever\b/i,
  /\bto be had\b/i,
  /\bfills by itself\b/i,
  /\bleads to nothing\b/i,
  /\bthe yes of\b/i,
  /\bknown with his\b/i,
  /\b(?:thereof|therein|hereby|whereby|wherein|whereof)\b/i,
];

/** Tell whether a sentence is a riddle: it has a turn of those. */
export function isRiddle(sentence: string): boolean {
  return TURNS.some((turn) => turn.test(sentence));
}

/** Read the sentences of a file: of its comments, or of its paragraphs if it is a page. Code, quotations and headings are no sentences. */
export function sentencesOf(file: string, text: string): Sentence[] {
  const paragraphs = file.endsWith(".md") ? paragraphsOf(text) : commentsOf(text);
  return paragraphs.flatMap(({ line, lines }) =>
    withoutQuotations(lines.join(" "))
      .split(/(?<=[.?!:]["')*_]*)\s+(?=["'(*_[`\p{Lu}])/u)
      .map((sentence) => ({ line, text: sentence })),
  );
}

const withoutQuotations = (text: string): string =>
  text.replace(/`[^`]*`/g, "`x`").replace(/"[^"]*"|“[^”]*”/g, '"x"');

/** Gathers lines into paragraphs: a line joins the open paragraph, if there is one. */
class Paragraphs {
  readonly found: Paragraph[] = [];
  #open: Paragraph | undefined;

  close(): void {
    this.#open = undefined;
  }

  add(line: number, text: string): void {
    if (text === "") return this.close();
    if (this.#open === undefined) this.found.push((this.#open = { line, lines: [] }));
    this.#open.lines.push(text);
  }

  addAlone(line: number, text: string): void {
    this.close();
    this.add(line, text);
    this.close();
  }
}

const LINE_COMMENT = /^\s*\/\/ ?(.*)$/;
/** A comment behind code; one with a quotation mark may be part of a text, and is not read. */
const TRAILING = /(?:\s\/\/ |\/\*+ )([^"'`]*?)(?:\*\/.*)?$/;
const LIST_OR_TAG = /^[-*|] |^@/;

function commentsOf(text: string): Paragraph[] {
  const paragraphs = new Paragraphs();
  let inBlock = false;
  for (const [index, line] of text.split("\n").entries()) {
    const opens = /^\s*\/\*/.test(line);
    const isBlock: boolean = inBlock || opens;
    const said = isBlock ? withoutStars(line) : LINE_COMMENT.exec(line)?.[1]?.trim();
    inBlock = isBlock && !line.includes("*/");
    if (said === undefined) paragraphs.addAlone(index + 1, TRAILING.exec(line)?.[1] ?? "");
    else {
      if (opens || LIST_OR_TAG.test(said)) paragraphs.close();
      paragraphs.add(index + 1, said);
      if (isBlock && !inBlock) paragraphs.close();
    }
  }
  return paragraphs.found;
}

function withoutStars(line: string): string {
  return line
    .replace(/^\s*\/?\*+(?!\/)/, "")
    .replace(/\*\/.*$/, "")
    .trim();
}

const NO_PROSE = /^(?:#|\s*<!--|\s*\|?[-:| ]+$|\s*$)/;
const FENCE = /^\s*(?:```|~~~)/;
const ITEM = /^\s*(?:[-*>]|\d+\.) /;

function paragraphsOf(text: string): Paragraph[] {
  const paragraphs = new Paragraphs();
  let isFenced = false;
  for (const [index, line] of text.split("\n").entries()) {
    const isFence = FENCE.test(line);
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || NO_PROSE.test(line)) paragraphs.close();
    else if (line.trim().startsWith("|"))
      for (const cell of line.split("|").slice(1, -1)) paragraphs.addAlone(index + 1, cell.trim());
    else {
      if (ITEM.test(line)) paragraphs.close();
      paragraphs.add(index + 1, line.replace(ITEM, "").trim());
    }
  }
  return paragraphs.found;
}

/** Read the texts of a module that are sentences: literals of one line with at least three words. */
export function textsOf(text: string): Sentence[] {
  return text.split("\n").flatMap((line, index) => {
    const code = LINE_COMMENT.test(line) || /^\s*\*/.test(line) ? "" : line;
    return [...code.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
      .map(([, quoted, template]) => ({ line: index + 1, text: quoted ?? template! }))
      .filter((found) => found.text.split(" ").length >= 3);
  });
}
