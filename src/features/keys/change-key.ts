import type { KeptKey, KeyRefusal, KeyRotation } from "./stored-key.ts";
import * as LIMITS from "./limits.ts";
import { err, ok, type Result } from "../../feature/refuse.ts";

/**
 * Make a key, or say why not. The same one again, with the same hash, is no second one: a caller that did not hear the answer may
 * ask again.
 *
 * @param known what is kept under its name
 */
export function addKey(known: KeptKey | null, nowMs: number, asked: KeptKey): Result<KeptKey, KeyRefusal> {
  if (known === null || isOver(known, nowMs)) return ok(asked);
  const [digest] = asked.digests;
  const isSame = known.digests.some(({ hash }) => hash === digest!.hash) && said(known) === said(asked);
  return isSame ? ok(known) : err("taken");
}

/** The text of a key's fields but the time when it was made. */
function said(key: KeptKey): string {
  return JSON.stringify([power(key), key.expiresAt]);
}

/**
 * Make another key of a name. The one before it, and whatever was still alive, ends after the overlap and never later than it
 * would have: no rotation makes an old key live longer. The name keeps its quota, tools and flags.
 *
 * @param known what is kept under the name
 */
export function rotateKey(
  known: KeptKey | null,
  nowMs: number,
  { hash, overlapMs, expiresAt, seen }: KeyRotation,
): Result<KeptKey, KeyRefusal> {
  if (known === null || isOver(known, nowMs)) return err("unknown");
  if (power(known) !== power(seen)) return err("changed");
  if (known.digests.at(-1)?.hash === hash) return ok(known);
  if (known.digests.some((digest) => digest.hash === hash)) return err("hash-taken");
  const until = nowMs + overlapMs;
  const others = known.digests
    .map((digest) => ({ hash: digest.hash, endsAt: Math.min(until, endOf(known, digest.endsAt)) }))
    .filter(({ endsAt }) => endsAt > nowMs);
  if (others.length > LIMITS.keysAlive) return err("too-many-alive");
  return ok({
    ...known,
    expiresAt: expiresAt ?? known.expiresAt,
    rotatedAt: nowMs,
    digests: [...others, { hash, endsAt: null }],
  });
}

/** The text of what a key may. */
function power({ tools, quota, flags, subject }: KeyRotation["seen"]): string {
  return JSON.stringify([tools, quota.limit, quota.windowS, flags, subject]);
}

/** Whether a name has expired: from that millisecond on, for everybody. */
export function isOver({ expiresAt }: Pick<KeptKey, "expiresAt">, nowMs: number): boolean {
  return expiresAt !== null && expiresAt <= nowMs;
}

/**
 * When a key of a name ends, in milliseconds since the epoch: by the name's expiry or by the overlap that it is in. Infinity for
 * one that goes on; null for a digest that is none of the name's.
 */
export function endOfKey(key: KeptKey, hash: string): number | null {
  const digest = key.digests.find((one) => one.hash === hash);
  return digest === undefined ? null : endOf(key, digest.endsAt);
}

function endOf({ expiresAt }: Pick<KeptKey, "expiresAt">, endsAt: number | null): number {
  return Math.min(expiresAt ?? Number.POSITIVE_INFINITY, endsAt ?? Number.POSITIVE_INFINITY);
}
