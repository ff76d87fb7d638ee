import * as z from "zod/mini";

import * as LIMITS from "./limits.ts";
import { objectsOf, type Restore, type Written } from "../../feature/schema.ts";
import type { Result } from "../../feature/refuse.ts";
import { sha256, type TakenRows } from "../../feature/kit.ts";
import { type Caller, fittingFlags } from "../../feature/caller.ts";

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
export interface KeptKey extends Pick<Caller, "tenant" | "name" | "tools" | "quota" | "flags" | "subject"> {
  /**
   * The keys above it as they were when it was made, the one that made it first. A row of an older version has none, and counts
   * as made by the key of `VOLLEY_KEYS` that may manage keys of the tenant and has the most requests.
   */
  readonly makers?: NonNullable<Caller["makers"]>;
  /** The variable with the secret that signs its callbacks: that of the key that made it. */
  readonly webhookSecret?: string;
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
  /** The tenant was deleted after the request for it came. */
  | "too-late"
  | "too-many";

export type KeyAnswer = Result<KeptKey, KeyRefusal>;

/** Whose a digest is: what is kept where it lies, or the name whose object knows. */
export type FoundKey =
  | { readonly kind: "key"; readonly key: KeptKey }
  | { readonly kind: "elsewhere"; readonly owner: KeyOwner };

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

/** A key as it is shown: never the key, and never its hash. */
export const keySchema = ({ flags }: { readonly flags: readonly string[] }) =>
  z.strictObject({
    name: z.string(),
    tenant: z.string(),
    tools: z.array(z.string()),
    quota: z.strictObject({ limit: z.int(), window_s: z.int() }),
    flags: z.array(z.enum(flags)),
    subject: z.optional(z.string()).check(z.describe("The one whose accounts its calls use")),
    created_at: z.string(),
    expires_at: z.nullable(z.string()),
    rotated_at: z.nullable(z.string()).check(z.describe("When it last got another key")),
    previous_ends_at: z
      .nullable(z.string())
      .check(z.describe("Until when a key before the newest is good as well; null when none is")),
  });

export function toKeyJson(key: KeptKey, nowMs: number): Written<typeof keySchema> {
  const { name, tenant, tools, quota, flags, subject, createdAt, expiresAt, rotatedAt, digests } = key;
  const ends = digests.flatMap(({ endsAt }) => (endsAt !== null && endsAt > nowMs ? [endsAt] : []));
  return {
    name,
    tenant,
    tools,
    quota: { limit: quota.limit, window_s: quota.windowS },
    flags,
    ...(subject !== undefined && { subject }),
    created_at: toText(createdAt),
    expires_at: expiresAt === null ? null : toText(expiresAt),
    rotated_at: rotatedAt === null ? null : toText(rotatedAt),
    previous_ends_at: ends.length === 0 ? null : toText(Math.max(...ends)),
  };
}

export function toText(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Make the steps that put keys back. A name with several keys is made with the oldest that is alive, and rotated to the others; where the
 * first is refused, because the name has other keys by now, no rotation follows: it would bring back what has ended since.
 */
export const restoreKeys: Restore = (exported, nowMs) =>
  objectsOf(exported).flatMap(({ name, tools, quota, flags, subject, expires_at: expiresAt, hashes }) => {
    const endOf = (text: unknown): number =>
      typeof text === "string" ? Date.parse(text) : Number.POSITIVE_INFINITY;
    const alive = objectsOf(hashes).filter(({ ends_at: endsAt }) => endOf(endsAt) > nowMs);
    if (alive.length === 0 || endOf(expiresAt) <= nowMs) return [];
    const about = {
      name,
      tools,
      quota,
      flags,
      ...(subject !== undefined && { subject }),
      ...(typeof expiresAt === "string" && { expires_at: expiresAt }),
    };
    const requests = alive.map(({ hash }, at): ReturnType<Restore>[number]["requests"][number] => {
      const leftS = Math.floor((endOf(alive[at - 1]?.["ends_at"]) - nowMs) / 1_000);
      const body =
        at === 0 ? { ...about, hash } : { name, hash, overlap_s: Math.min(LIMITS.keyOverlapS, leftS) };
      return { method: "POST", path: "/v1/keys", body };
    });
    return [{ label: `key ${String(name)}`, requests }];
  });
