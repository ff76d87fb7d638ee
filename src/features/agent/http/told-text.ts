import * as LIMITS from "../../../core/contract/limits.ts";

/** The text of a stream as it was told, while it is no more than can be kept. */
export class ToldText {
  #parts: string[] | null = [];
  #length = 0;

  add(text: string): void {
    this.#length += text.length;
    if (this.#length > LIMITS.idempotencyAnswerBytes) this.#parts = null;
    this.#parts?.push(text);
  }

  /** Add the end of it; null where all of it is too much to keep. */
  endWith(text: string): string | null {
    this.add(text);
    return this.#parts?.join("") ?? null;
  }
}
