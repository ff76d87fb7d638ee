/**
 * Reads server-sent events from text that comes in pieces, as the standard says (WHATWG HTML, 9.2.6), and tells the data of
 * each message. Ids, retry times and events of other types are passed over: nothing here is resumed.
 *
 * Each character is looked at once, however the pieces are cut: libraries that look for the end of a line again in what they
 * have kept take quadratic time where a server wants them to.
 */
export class EventReader {
  /** The line that has not ended yet. */
  #line: string[] = [];
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
    const text = this.#afterReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") this.#afterReturn = piece.endsWith("\r");
    let from = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      this.#line.push(text.slice(from, index));
      from = index + end.length;
      const line = this.#line.join("");
      this.#line = [];
      if (line !== "") this.#field(line);
      else if (this.#dispatch(onData)) return true;
    }
    if (from < text.length) this.#line.push(text.slice(from));
    return false;
  }

  #field(line: string): void {
    const [, name, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#isMessage = value === "" || value === "message";
  }

  #dispatch(onData: (data: string) => boolean): boolean {
    const data = this.#isMessage ? this.#data.join("\n") : "";
    this.#data = [];
    this.#isMessage = true;
    return data !== "" && onData(data);
  }
}
