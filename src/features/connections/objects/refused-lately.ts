import type { Clock } from "../../../feature/kit.ts";

/** A refusal of an account's refresh token. */
export interface Refused {
  readonly connector: string;
  readonly accountId: string;
  /** The status and the provider's word. */
  readonly answer: string;
}

/** The client is refused where several accounts are refused alike within so long. */
const ALIKE_MS = 60_000;

/** An object's memory of the last minute's refusals. */
export class RefusedLately {
  readonly #clock: Pick<Clock, "now">;
  /** By account, of each its last one. */
  readonly #last = new Map<string, Refused & { readonly at: number }>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  note(refused: Refused): void {
    const at = this.#clock.now();
    for (const [key, one] of this.#last) if (at - one.at > ALIKE_MS) this.#last.delete(key);
    this.#last.set(`${refused.connector} ${refused.accountId}`, { ...refused, at });
  }

  /** Whether another account of a connector got the same answer. */
  isAlike({ connector, accountId, answer }: Refused): boolean {
    const now = this.#clock.now();
    return Array.from(this.#last.values()).some(
      (one) =>
        one.connector === connector &&
        one.accountId !== accountId &&
        one.answer === answer &&
        now - one.at <= ALIKE_MS,
    );
  }
}
