import type { TakenRows } from "../../core/kit/take-rows.ts";
import type { Result } from "../../core/kit/result.ts";
import { fittingFlags, type MakerKey, type Quota } from "../../core/contract/gate/caller.ts";

/** The binding of the namespace in which keys are kept that are made while running. */
export const KEY_SHARDS = "KEYS";

/** One of the keys of a name. The key itself is kept nowhere. */
export interface KeyDigest {
  /** Hex HMAC-SHA-256 of the key. */
  readonly hash: string;
  /** When it ends because another takes its place, in milliseconds since the epoch; null while none does. */
  readonly endsAt: number | null;
}

/** The record under a name of a tenant: one quota, one place in the list, and for a while more than one key. */
export interface KeptKey {
  readonly tenant: string;
  readonly name: string;
  readonly tools: readonly string[];
  readonly quota: Quota;
  /**
   * The keys above it as they were when it was made, the one that made it first. A row of an older version has none, and counts
   * as made by the key of `VOLLEY_KEYS` that may manage keys of the tenant and has the most requests.
   */
  readonly makers?: readonly MakerKey[];
  readonly flags: readonly string[];
  /** The variable with the secret that signs its callbacks: that of the key that made it. */
  readonly webhookSecret?: string;
  /** The one whose accounts its calls use; it names no other. */
  readonly subject?: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly rotatedAt: number | null;
  /** The oldest first. */
  readonly digests: readonly KeyDigest[];
}

/** Read the row of a key. One of an older version that acts for a subject is as if it had no flag that it may not have today. */
export function readKeptKey(json: string): KeptKey {
  const key = JSON.parse(json) as KeptKey;
  return { ...key, flags: fittingFlags(key.flags, key.subject) };
}

/** Make a second key of a name, and end the others after an overlap. */
export interface KeyRotation {
  readonly tenant: string;
  readonly name: string;
  readonly hash: string;
  readonly overlapMs: number;
  /** The name's from now on; as it was where it is left out. */
  readonly expiresAt?: number;
  /** The rights that the asker has seen: a name that may more by now is not rotated. */
  readonly seen: Pick<KeptKey, "tools" | "quota" | "flags" | "subject">;
}

/** Why a key is not kept. */
export type KeyRefusal =
  /** The name has a key already. */
  | "taken"
  | "unknown"
  /** The name is not any more what was seen of it. */
  | "changed"
  /** Another key has that hash. */
  | "hash-taken"
  /** As many keys of the name are alive as may be. */
  | "too-many-alive"
  | "too-many";

export type KeyAnswer = Result<KeptKey, KeyRefusal>;

/** Whose a digest is: what is kept where it lies, or the name whose object knows. */
export type FoundKey =
  | { readonly kind: "key"; readonly key: KeptKey }
  | { readonly kind: "elsewhere"; readonly owner: KeyOwner };

/** Names what is kept. */
export type KeyOwner = Pick<KeptKey, "tenant" | "name">;

export interface PointOptions {
  /** When the digest ends, so that it need not be remembered any longer; null where that is unknown. */
  readonly untilMs: number | null;
  /** The one whose it may be instead, because it is known to be that one's no more. */
  readonly instead?: KeyOwner;
}

/** The place after which a page of a list begins. */
export interface KeyPlace {
  readonly createdAt: number;
  readonly name: string;
}

/** The methods of one of the objects that keep keys. Each is one turn of it. */
export interface KeyShardMethods {
  /** The owner of each digest, in the same order; null where there is no owner. */
  find(hashes: readonly string[]): (FoundKey | null)[];
  /** The record under a name; null where there is none, or it has expired. */
  read(owner: KeyOwner): KeptKey | null;
  make(key: KeptKey): KeyAnswer;
  rotate(rotation: KeyRotation): KeyAnswer;
  /** Forget a name; the digests that it had, null where there was none. */
  revoke(owner: KeyOwner): string[] | null;
  /** A tenant's keys that begin after a place, the newest first. */
  list(tenant: string, after: KeyPlace | null, limit: number): TakenRows<KeptKey>;
  /** Remember whose a digest is that is kept elsewhere. Whose it is instead, where it is another's. */
  point(hash: string, owner: KeyOwner, options: PointOptions): KeyOwner | null;
  /** Forget whose these digests are, as far as they are this owner's. */
  unpoint(hashes: readonly string[], owner: KeyOwner): void;
  /** Forget everything of a tenant; how many names it had here. */
  forget(tenant: string): number;
}

/** Put the newest key first, names deciding between those of one moment: the order of every list of keys. */
export function compareKeys(a: KeyPlace, b: KeyPlace): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}
