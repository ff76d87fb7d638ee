import type { Algorithm } from "./hook-form.ts";

/** A MAC that is computed while what it is of arrives. */
export interface OpenMac {
  write(bytes: Uint8Array): Promise<unknown>;
  end(): Promise<Uint8Array>;
}

/** The platform's part of proofs. */
export interface Proofs {
  readonly hmac: (algorithm: Algorithm, key: Uint8Array, data: Uint8Array) => Promise<Uint8Array>;
  readonly openHmac: (algorithm: Algorithm, key: Uint8Array) => Promise<OpenMac>;
  /** False also where the key or the signature is none. */
  readonly verifyEd25519: (key: Uint8Array, data: Uint8Array, signature: Uint8Array) => Promise<boolean>;
  readonly sha256: (data: Uint8Array) => Promise<Uint8Array>;
}

/** Whether two lists of bytes are the same, in a time that says nothing of where they differ. */
export function areSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let differing = 0;
  for (const [at, byte] of one.entries()) differing |= byte ^ other[at]!;
  return differing === 0;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** A delivery as it came. */
export interface SentDelivery {
  readonly method: string;
  /** The address as its sender knows it: with the deployment's own origin where that is configured. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  /** Its raw bytes: what is signed is no text, and not what anybody makes of it. */
  readonly body: Uint8Array;
}

/** Where a delivery arrives. */
export interface HookWorld {
  /** The text of the secret that the trigger names; nothing where it is not set. */
  readonly secret: string | undefined;
  readonly nowMs: number;
  readonly proofs: Proofs;
}
