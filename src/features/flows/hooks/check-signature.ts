import * as LIMITS from "../../../core/contract/limits.ts";
import type { Scheme } from "./schemes.ts";

/** A delivery as it came. */
export interface SentDelivery {
  readonly headers: Pick<Headers, "get">;
  /** Its raw bytes: what is signed is no text, and not what anybody makes of it. */
  readonly body: Uint8Array;
}

/** Tell whether a MAC is the HMAC-SHA-256 of some data under a key that is not empty, in a time that says nothing of it. */
export type VerifyMac = (key: Uint8Array, data: Uint8Array, mac: Uint8Array) => Promise<boolean>;

export interface SignatureWorld {
  /** The text of the secret that the trigger names; nothing where it is not set. */
  readonly secret: string | undefined;
  readonly nowMs: number;
  readonly verifyMac: VerifyMac;
}

/**
 * Whether a delivery is signed with the secret that is configured, and at a time that is near enough to now where the scheme
 * signs one.
 *
 * The cost is bounded: each of a few keys is tried with each of a few signatures, and none where it came too late.
 */
export async function checkSignature(
  { headers, body }: SentDelivery,
  { keysOf, signatureOf }: Scheme,
  { secret = "", nowMs, verifyMac }: SignatureWorld,
): Promise<boolean> {
  const keys = secret === "" ? null : keysOf(secret);
  const { before, time, macs } = signatureOf((name) => headers.get(name) ?? "");
  if (keys === null || !isTimely(time, nowMs)) return false;

  const tried = macs.filter((mac) => mac !== null).slice(0, LIMITS.deliverySignatures);
  const signed = join(new TextEncoder().encode(before), body);
  for (const key of keys.slice(0, LIMITS.deliverySignatures))
    for (const mac of tried) if (await verifyMac(key, signed, mac)) return true;
  return false;
}

/** Digits only: what is compared with the clock is then the very text that is signed. */
const UNIX_SECONDS = /^\d{1,12}$/;

function isTimely(time: string | null, nowMs: number): boolean {
  if (time === null) return true;
  return UNIX_SECONDS.test(time) && Math.abs(nowMs - Number(time) * 1_000) <= LIMITS.deliveryAgeMs;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
