import * as LIMITS from "../contract/limits.ts";
import { makeRoom } from "../kit/get-or-make.ts";

interface Remembered<T> {
  readonly value: T;
  readonly hash: string;
  /** From then on it is not known any more, in milliseconds since the epoch. */
  readonly untilMs: number;
}

export interface KeyFinding<T> {
  readonly hash: string;
  /** The key's owner; null where there is none. */
  readonly value: T | null;
  /** When the question was sent. */
  readonly askedAtMs: number;
  /** When the key itself ends. */
  readonly endsAtMs: number;
}

/**
 * One isolate's memory of keys that are kept elsewhere, by the key.
 *
 * A key that was found is believed for `LIMITS.keySeenMs` after it was asked for, and never beyond its own end: so a revocation
 * is everywhere within that time, and an expiry exact. An unknown key is believed unknown for less, because it may be made just
 * now. The two have room of their own, so that unknown keys push no good one out.
 */
export class KeyMemory<T> {
  readonly #found = new Map<string, Remembered<T>>();
  readonly #missing = new Map<string, Remembered<null>>();

  /** The key's owner; null where there is none, undefined where that is not known. */
  recall(key: string, nowMs: number): T | null | undefined {
    const known = this.#found.get(key) ?? this.#missing.get(key);
    return known !== undefined && nowMs < known.untilMs ? known.value : undefined;
  }

  /** The last known owner of a key, however long ago; undefined for none. */
  lastOf(key: string): T | undefined {
    return this.#found.get(key)?.value;
  }

  remember(key: string, { hash, value, askedAtMs, endsAtMs }: KeyFinding<T>): void {
    this.#found.delete(key);
    this.#missing.delete(key);
    if (value === null) put(this.#missing, key, { hash, value, untilMs: askedAtMs + LIMITS.keyUnknownMs });
    else put(this.#found, key, { hash, value, untilMs: Math.min(askedAtMs + LIMITS.keySeenMs, endsAtMs) });
  }

  /** Forget what is known of some digests: here something about them has changed. */
  forget(hashes: readonly string[]): void {
    for (const known of [this.#found, this.#missing])
      for (const [key, { hash }] of known) if (hashes.includes(hash)) known.delete(key);
  }
}

/** The oldest entry makes room. */
function put<T>(known: Map<string, Remembered<T>>, key: string, value: Remembered<T>): void {
  makeRoom(known, LIMITS.keysRemembered);
  known.set(key, value);
}
