/**
 * Make numbers that look random and depend on `seed` alone: the same question gets the same answer, another question
 * another one. FNV-1a to start, then mulberry32. Not for secrets.
 */
export class Seeded {
  #state: number;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (const char of seed) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
    this.#state = hash >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A number from `min` to `max` with one decimal. */
  tenths(min: number, max: number): number {
    return this.int(min * 10, max * 10) / 10;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)]!;
  }

  /** `length` characters of `alphabet`. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(this.int(0, alphabet.length - 1))).join("");
  }
}
