import * as LIMITS from "./limits.ts";
import type { KeyOwner } from "./kept-key.ts";
import { sha256 } from "../../core/kit/sha256.ts";

/** A prefix, 32 random bytes in base64url, and the beginning of the SHA-256 of what stands before it. */
const FORM = /^(vk_[A-Za-z0-9_-]{43})_([0-9a-f]{8})$/;

/**
 * Make a key of 32 random bytes.
 *
 * The end is a checksum, so that a slip, or a key of another system, is refused without asking an object. It is no secret and
 * proves nothing: any program can compute it.
 *
 * @example
 * makeKey(crypto.getRandomValues(new Uint8Array(32))); // "vk_q83v…_1f0a9c3e"
 */
export function makeKey(random: Uint8Array): string {
  const text = btoa(String.fromCharCode(...random)).replace(/[+/=]/g, (c) => SAFE[c]!);
  return withChecksum(`vk_${text}`);
}

const SAFE: Readonly<Record<string, string>> = { "+": "-", "/": "_", "=": "" };

/** Whether a text has the form and the checksum of a key that was made here. */
export function hasKeyForm(text: string): boolean {
  const [, key] = FORM.exec(text) ?? [];
  return key !== undefined && withChecksum(key) === text;
}

function withChecksum(key: string): string {
  return `${key}_${sha256(key).slice(0, 8)}`;
}

/** The object that is asked for a digest: one of `LIMITS.keyShards`, by its first hex digit. */
export function shardOfHash(hash: string): number {
  return Number.parseInt(hash[0]!, 16) % LIMITS.keyShards;
}

/** The object that keeps a name, and everything that is decided about it. */
export function shardOfName({ tenant, name }: KeyOwner): number {
  return shardOfHash(sha256(`${tenant}/${name}`));
}
