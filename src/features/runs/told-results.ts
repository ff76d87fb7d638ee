/** The id of a stream's last event: everything was told. */
export const TOLD_ALL = "done";

const FORM = /^[0-9a-f]{1,500}$/;
const INDEX = /^\{"index":(\d{1,4}),/;

/**
 * The results of a run that a client was told of. As the id of an event it is a number in hexadecimal, with a bit for each action: whatever order
 * results came in, and whichever stream told them, it says what is missing.
 */
export class Told {
  #bits: bigint;

  /** @param lastId the id of the last event that a client has seen; one that no stream wrote begins anew */
  constructor(lastId: string) {
    this.#bits = FORM.test(lastId) ? BigInt(`0x${lastId}`) : 0n;
  }

  /** Take a result, as it is on the wire, that is about to be told; the id of its event, or null where it was told before. */
  add(json: string): string | null {
    const bit = 1n << BigInt(INDEX.exec(json)?.[1] ?? 0);
    if ((this.#bits & bit) !== 0n) return null;
    this.#bits |= bit;
    return this.#bits.toString(16);
  }
}
