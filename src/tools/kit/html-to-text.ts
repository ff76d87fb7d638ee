import * as LIMITS from "./limits.ts";
import { cutText } from "./cut-text.ts";
import { decodeEntities } from "./html-entities.ts";
import { endOfRawText, nextTag, type Tag } from "./html-tags.ts";
import { TextWriter } from "./text-writer.ts";

export interface PageText {
  readonly title: string;
  readonly text: string;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements of which nothing inside is markup (HTML, 13.2.5.1); `title` is read, the others are dropped. */
const RAW = words("script style textarea iframe noembed noframes xmp title");
/** Elements that are no part of what a page says: menus, controls, media, what is not shown. */
const DROPPED = words("nav footer noscript template svg math object canvas audio video button select dialog");
/** Where the attribute `hidden` hides a whole element; others may lack the tag that ends them. */
const HIDEABLE = words("div section span article aside header form fieldset details dl ol ul table figure");
const PARAGRAPHS = words("p h1 h2 h3 h4 h5 h6 pre blockquote table hr");
const LINES = words(
  "br div li ul ol dl dt dd tr section article header main aside figure figcaption address form fieldset legend details " +
    "summary option caption body center",
);
const NONE: ReadonlySet<string> = new Set();

/** A `main` of fewer characters is a frame that is filled by a script, and what the page says stands elsewhere. */
const MAIN_CHARACTERS = 200;
const TITLE_CHARACTERS = 200;

/**
 * Read HTML as text: blocks become lines, list items begin with `- `, cells are parted by ` | `; scripts, styles, menus, links'
 * addresses and what is hidden by an attribute are left out. A page with a `main` is read there only.
 *
 * It looks at every character a bounded number of times, whatever it is given: whatever is never closed reaches to the end, so no
 * search is made twice. Text that styles hide is not known here. Nothing is trusted: the text is for a reader, and must never be
 * taken for markup again.
 *
 * @example
 * htmlToText("<title>A</title><p>One &amp; <b>two</b>"); // { title: "A", text: "One & two" }
 */
export function htmlToText(html: string): PageText {
  const page = new PageReader(html, DROPPED);
  const read = page.read();
  // A menu that is never closed would take all that follows, and of a page that is nothing else nothing would be left.
  return page.isDropping || (page.hasDropped && read.text === "") ? new PageReader(html, NONE).read() : read;
}

class PageReader {
  readonly #html: string;
  readonly #dropped: ReadonlySet<string>;
  readonly #writer = new TextWriter();
  #title = "";
  /** The element that is being dropped, and how many of its name are open; null while none is. */
  #dropping: { readonly name: string; depth: number } | null = null;
  #mainFrom = -1;
  #mainTo = -1;
  /** Something was left out. */
  hasDropped = false;

  constructor(html: string, dropped: ReadonlySet<string>) {
    this.#html = html;
    this.#dropped = dropped;
  }

  /** It ends within something that is left out. */
  get isDropping(): boolean {
    return this.#dropping !== null;
  }

  read(): PageText {
    const html = this.#html;
    let at = 0;
    let isWhole = false;
    for (let tags = 0; tags < LIMITS.pageTags && this.#writer.length < LIMITS.pageCharacters; tags += 1) {
      const tag = nextTag(html, at);
      this.#addText(at, tag?.from ?? html.length);
      if (tag === null) {
        isWhole = true;
        break;
      }
      at = tag.name !== "" && !tag.isEnd && RAW.has(tag.name) ? this.#readRaw(tag) : tag.to;
      if (this.#dropping === null) this.#enter(tag);
      else this.#leaveDropped(tag, this.#dropping);
    }
    const main = this.#mainFrom === -1 ? "" : this.#writer.finish(this.#mainFrom, this.#mainTo);
    const text = main.length >= MAIN_CHARACTERS ? main : this.#writer.finish();
    return { title: this.#title, text: isWhole ? text : `${text}…` };
  }

  #addText(from: number, to: number): void {
    if (from === to || this.#dropping !== null) return;
    const end = Math.min(to, from + LIMITS.pageCharacters);
    this.#writer.add(decodeEntities(this.#html.slice(from, end)));
  }

  /** Pass over what is no markup, and give where it ends. */
  #readRaw({ name, to }: Tag): number {
    const end = endOfRawText(this.#html, name, to);
    if (name === "title" && this.#title === "" && this.#dropping === null)
      this.#title = cutText(
        decodeEntities(this.#html.slice(to, Math.min(end, to + 4_096))),
        TITLE_CHARACTERS,
      );
    return end;
  }

  #enter({ name, isEnd, isHidden, isEmpty }: Tag): void {
    const writer = this.#writer;
    if (
      !isEnd &&
      !isEmpty &&
      (this.#dropped.has(name) || (isHidden && this.#dropped !== NONE && HIDEABLE.has(name)))
    ) {
      writer.breakLine();
      this.hasDropped = true;
      this.#dropping = { name, depth: 1 };
      return;
    }
    if (PARAGRAPHS.has(name)) writer.breakParagraph();
    else if (LINES.has(name)) writer.breakLine();
    else if (name === "td" || name === "th") {
      if (!isEnd) writer.beginCell();
    }
    if (name === "li") writer.markItem(!isEnd);
    else if (name === "pre") writer.keepBlanks(!isEnd);
    else if (name === "main") this.#markMain(isEnd);
  }

  #leaveDropped({ name, isEnd, isEmpty }: Tag, dropping: { readonly name: string; depth: number }): void {
    if (name !== dropping.name || isEmpty) return;
    dropping.depth += isEnd ? -1 : 1;
    if (dropping.depth === 0) this.#dropping = null;
  }

  /** The first `main` counts: there is one at most that is shown (HTML, 4.4.14). */
  #markMain(isEnd: boolean): void {
    if (!isEnd && this.#mainFrom === -1) this.#mainFrom = this.#writer.length;
    else if (isEnd && this.#mainFrom !== -1 && this.#mainTo === -1) this.#mainTo = this.#writer.length;
  }
}
