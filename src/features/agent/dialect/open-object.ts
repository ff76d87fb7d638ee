/** Tells of the text of an object, as its pieces arrive, whether it has begun and whether it is whole. */
export class OpenObject {
  #depth = 0;
  #hasBegun = false;
  #inString = false;
  #isEscaped = false;

  take(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#inString) {
        if (character === "\\") this.#isEscaped = true;
        else if (character === '"') this.#inString = false;
      } else if (character === '"') this.#inString = true;
      else if (character === "{" || character === "[") {
        this.#depth += 1;
        this.#hasBegun = true;
      } else if (character === "}" || character === "]") this.#depth -= 1;
    }
  }

  /** Something of it is there, and something is missing. */
  get isOpen(): boolean {
    return this.#hasBegun && this.#depth > 0;
  }

  get isWhole(): boolean {
    return this.#hasBegun && this.#depth <= 0;
  }
}
