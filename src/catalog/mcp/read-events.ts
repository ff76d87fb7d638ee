import { LIMITS } from "../../contract/limits.ts";
import { ToolFailure } from "../tool-failure.ts";

/**
 * Reads server-sent events from text that comes in pieces, as the standard says (WHATWG HTML, 9.2.6), and tells the data of
 * each message. Ids, retry times and events of other types are passed over: nothing here is resumed.
 *
 * Each character is looked at once, however the pieces are cut, and a stream has `LIMITS.mcpStreamLines` lines at most: one of
 * nothing but line ends would cost a thousand times what one of data does.
 */
export class EventReader {
  /** The line that has not ended yet. */
  #line: string[] = [];
  #lines = 0;
  #data: string[] = [];
  #isMessage = true;
  /** The piece before ended with a carriage return, so that a line feed now ends no other line. */
  #afterReturn = false;

  /**
   * Read one more piece.
   *
   * @param onData told the data of a message; true when no more is needed
   * @returns whether it said so
   */
  read(piece: string, onData: (data: string) => boolean): boolean {
    if (piece === "") return false;
    let from = this.#afterReturn && piece.startsWith("\n") ? 1 : 0;
    this.#afterReturn = piece.endsWith("\r");
    let feed = -1;
    let back = -1;
    for (;;) {
      // Where the next of each kind is has to be found again only once it was passed.
      if (feed < from) feed = indexOf(piece, "\n", from);
      if (back < from) back = indexOf(piece, "\r", from);
      const end = Math.min(feed, back);
      if (end === Number.POSITIVE_INFINITY) break;
      if (this.#end(piece.slice(from, end), onData)) return true;
      from = end === back && feed === back + 1 ? end + 2 : end + 1;
    }
    if (from < piece.length) this.#line.push(piece.slice(from));
    return false;
  }

  /** A line has ended, of which this is the last part. */
  #end(part: string, onData: (data: string) => boolean): boolean {
    this.#lines += 1;
    if (this.#lines > LIMITS.mcpStreamLines) throw tooManyLines();
    const line = this.#line.length === 0 ? part : [...this.#line, part].join("");
    if (this.#line.length > 0) this.#line = [];
    if (line === "") return this.#dispatch(onData);
    const [, name, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#isMessage = value === "" || value === "message";
    return false;
  }

  #dispatch(onData: (data: string) => boolean): boolean {
    const data = this.#isMessage ? this.#data.join("\n") : "";
    this.#data = [];
    this.#isMessage = true;
    return data !== "" && onData(data);
  }
}

function indexOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

function tooManyLines(): ToolFailure {
  return new ToolFailure("RESPONSE_TOO_LARGE", {
    hint: `The MCP server's stream has more than ${LIMITS.mcpStreamLines} lines and was given up; use another tool or tell the user.`,
  });
}
