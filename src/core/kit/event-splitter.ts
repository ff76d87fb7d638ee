/** One server-sent event, as it came and as it is read. */
export interface ServerSentEvent {
  /** Every character of it, line ends included: all of them together are the stream. */
  readonly raw: string;
  /** Its type; empty where none was given. */
  readonly name: string;
  /** Its data, lines joined by line feeds; null if it has none, as a comment has. */
  readonly data: string | null;
}

/**
 * Splits a stream into its events (WHATWG HTML, 9.2.6), wherever the pieces it comes in break. Ids and retry times are passed over:
 * nothing here is resumed.
 *
 * Nothing is lost: what the events came as, one after the other, is the text that was read, and the end of the last where it
 * had none. A carriage return at the end of a piece is looked at with the next one, because a line feed may follow that belongs
 * to it; every other character once.
 */
export class EventSplitter {
  /** The earlier pieces of the event under way, and of its last line. */
  #raw: string[] = [];
  #line: string[] = [];
  #data: string[] = [];
  #name = "";
  #return = "";
  #isFirst = true;
  #pending = 0;
  #lines = 0;

  /** Characters of the event that has not ended yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Lines that have ended, the empty ones included: a stream of nothing else costs a thousand times what one of data does. */
  get lines(): number {
    return this.#lines;
  }

  /** Read one more piece; the events that ended in it. */
  read(piece: string): ServerSentEvent[] {
    const text = this.#return + piece;
    const isOpen = text.endsWith("\r");
    this.#return = isOpen ? "\r" : "";
    return this.#split(isOpen ? text.slice(0, -1) : text);
  }

  #split(piece: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    if (piece === "") return events;
    let begin = 0;
    let from = 0;
    let feed = -1;
    let back = -1;
    for (;;) {
      if (feed < from) feed = indexOf(piece, "\n", from);
      if (back < from) back = indexOf(piece, "\r", from);
      const end = Math.min(feed, back);
      if (end === Number.POSITIVE_INFINITY) break;
      const next = end === back && feed === back + 1 ? end + 2 : end + 1;
      if (this.#endLine(piece.slice(from, end))) {
        events.push(this.#dispatch(piece.slice(begin, next)));
        begin = next;
      }
      from = next;
    }
    if (from < piece.length) this.#line.push(piece.slice(from));
    if (begin < piece.length) this.#raw.push(piece.slice(begin));
    this.#pending = begin === 0 ? this.#pending + piece.length : piece.length - begin;
    return events;
  }

  /**
   * The stream has ended; its last events. One that no empty line followed, which the standard drops and some servers forget,
   * is given its end, or what is said after it would be a part of it.
   */
  end(): ServerSentEvent[] {
    const events = this.#split(this.#return);
    this.#return = "";
    this.#endLine("");
    if (this.#raw.length === 0) return events;
    const isBlank = this.#raw.every((part) => part.trim() === "");
    return [...events, this.#dispatch(isBlank ? "" : "\n\n")];
  }

  /** A line has ended, of which this is the last part; whether an event ends with it. */
  #endLine(part: string): boolean {
    this.#lines += 1;
    let line = this.#line.length === 0 ? part : [...this.#line, part].join("");
    if (this.#line.length > 0) this.#line = [];
    if (this.#isFirst && line.startsWith(MARK)) line = line.slice(1);
    this.#isFirst = false;
    if (line === "") return true;
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const from = line[colon + 1] === " " ? colon + 2 : colon + 1;
    if (field === "data") this.#data.push(colon === -1 ? "" : line.slice(from));
    else if (field === "event") this.#name = colon === -1 ? "" : line.slice(from);
    return false;
  }

  #dispatch(last: string): ServerSentEvent {
    const raw = this.#raw.length === 0 ? last : [...this.#raw, last].join("");
    const data = this.#data.length === 0 ? null : this.#data.join("\n");
    const event = { raw, name: this.#name, data };
    this.#raw = [];
    this.#data = [];
    this.#name = "";
    return event;
  }
}

/** The byte order mark that may stand before a stream. */
const MARK = "\uFEFF";

function indexOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
