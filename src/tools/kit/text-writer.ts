const BLANKS = /[\s\p{Cc}]+/gu;
/** Controls that no line of text has; the tab is one that it may. */
const CONTROLS = /[^\P{Cc}\t\n]+/gu;

/** Writes text as a page shows it: runs of blanks are one, blocks are lines, and no two empty lines follow each other. */
export class TextWriter {
  #text = "";
  /** Line breaks that the text ends with; nothing breaks the beginning. */
  #breaks = 2;
  #endsBlank = false;
  #keeping = 0;
  /** Cells that this line has begun. */
  #cells = 0;
  /** The beginning of the next text on this line. */
  #mark = "";

  /** Where the next text will stand. */
  get length(): number {
    return this.#text.length;
  }

  add(text: string): void {
    const isKept = this.#keeping > 0;
    const shown = isKept ? text.replaceAll(CONTROLS, "") : text.replaceAll(BLANKS, " ");
    const isBehindBlank = this.#breaks > 0 || this.#endsBlank;
    const piece = !isKept && isBehindBlank && shown.startsWith(" ") ? shown.slice(1) : shown;
    if (piece === "") return;
    this.#text += this.#mark + piece;
    this.#mark = "";
    this.#breaks = 0;
    this.#endsBlank = piece.endsWith(" ");
  }

  breakLine(): void {
    this.#break(1);
  }

  breakParagraph(): void {
    this.#break(2);
  }

  /** Begin a cell of a table: it is parted from the one before it in its row. */
  beginCell(): void {
    this.#cells += 1;
    if (this.#cells > 1)
      this.#mark += this.#breaks > 0 || this.#endsBlank || this.#mark !== "" ? "| " : " | ";
  }

  /** Begin or end an item of a list; one that has no text leaves nothing behind. */
  markItem(begins: boolean): void {
    this.#mark = begins ? "- " : "";
  }

  /** Begin or end text whose blanks count. */
  keepBlanks(begins: boolean): void {
    this.#keeping = Math.max(0, this.#keeping + (begins ? 1 : -1));
  }

  /** The text, or the part of it between two places. */
  finish(from = 0, to = -1): string {
    const part = to === -1 ? this.#text.slice(from) : this.#text.slice(from, to);
    const lines = part.split("\n").map((line) => line.trimEnd());
    return lines
      .filter((line, at) => line !== "" || (at > 0 && lines[at - 1] !== ""))
      .join("\n")
      .trim();
  }

  #break(breaks: number): void {
    if (breaks > this.#breaks) {
      this.#text += "\n".repeat(breaks - this.#breaks);
      this.#breaks = breaks;
    }
    this.#endsBlank = false;
    this.#cells = 0;
    // Cells without text at the end of a row part nothing.
    if (this.#mark !== "- ") this.#mark = "";
  }
}
