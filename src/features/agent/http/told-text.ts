import * as LIMITS from "../../../core/contract/limits.ts";
import type { HeldBytes } from "../../../core/egress/held-bytes.ts";

/** The text of a stream as it was told, while it is no more than can be kept and its tenant's bytes have room for it. */
export class ToldText {
  readonly #bytes: Pick<HeldBytes, "take" | "give">;
  #parts: string[] | null = [];
  #length = 0;

  /** @param bytes the request's, which give everything back when its answer has been read */
  constructor(bytes: Pick<HeldBytes, "take" | "give">) {
    this.#bytes = bytes;
  }

  add(text: string): void {
    if (this.#parts === null) return;
    const isTooMuch = this.#length + text.length > LIMITS.idempotencyAnswerBytes;
    if (isTooMuch || !this.#bytes.take(text.length)) {
      this.#parts = null;
      this.#bytes.give(this.#length);
      return;
    }
    this.#length += text.length;
    this.#parts.push(text);
  }

  /** Add the end of it; null where all of it is too much to keep. */
  endWith(text: string): string | null {
    this.add(text);
    return this.#parts?.join("") ?? null;
  }
}
