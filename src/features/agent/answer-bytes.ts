import type { Refusal } from "../../core/contract/refusal.ts";
import type { HeldBytes } from "../../core/egress/held-bytes.ts";

/** The bytes that one answer of a model takes: they grow while it is read. */
export class AnswerBytes {
  readonly #bytes: HeldBytes;
  readonly #signal: AbortSignal;
  #held = 0;
  #refused: Refusal | null = null;

  constructor(bytes: HeldBytes, signal: AbortSignal) {
    this.#bytes = bytes;
    this.#signal = signal;
  }

  /** Why it may not grow any more; null while it may. */
  get refused(): Refusal | null {
    return this.#refused;
  }

  /** Hold so many in all, when it is their turn; whether they are held. */
  async growTo(bytes: number): Promise<boolean> {
    const more = bytes - this.#held;
    if (more <= 0 || this.#refused !== null) return this.#refused === null;
    this.#refused = await this.#bytes.hold(more, this.#signal);
    if (this.#refused === null) this.#held = bytes;
    return this.#refused === null;
  }

  /** The answer is none. */
  drop(): void {
    this.#bytes.give(this.#held);
    this.#held = 0;
  }
}
