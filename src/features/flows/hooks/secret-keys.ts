import * as LIMITS from "../limits.ts";
import { decodeBytes } from "./decode-bytes.ts";
import type { KeyForm } from "./hook-form.ts";

/** The bounds of a secret in Standard Webhooks. */
const WHSEC_BYTES = { min: 24, max: 64 };

/**
 * The keys that a secret's text holds: itself, or several while one replaces another; none where it is not written as it must
 * be.
 */
export function keysOf(secret: string, form: KeyForm): readonly Uint8Array[] {
  if (form === "text") return textsOf(secret).map((text) => new TextEncoder().encode(text));
  const decoded = wordsOf(secret).map((word) => decode(word, form));
  const keys = decoded.filter((key) => key !== null);
  return keys.length < decoded.length ? [] : keys.slice(0, LIMITS.deliverySignatures);
}

/**
 * The texts that may be the secret: the whole as it stands, prefixes such as Stripe's `whsec_` included; and while one secret
 * replaces another, each of several with white space between them, which may be left when only one is. A secret may be words
 * itself, of which none may open anything, so each has to be as long as no word is.
 */
export function textsOf(secret: string): readonly string[] {
  if (secret === "") return [];
  const words = wordsOf(secret);
  const isList = words.every((word) => word.length >= LIMITS.listedSecretCharacters);
  return [...new Set([secret, ...(isList ? words : [])])].slice(0, LIMITS.deliverySignatures);
}

function wordsOf(secret: string): readonly string[] {
  return secret.split(/\s+/).filter((word) => word !== "");
}

function decode(word: string, form: Exclude<KeyForm, "text">): Uint8Array | null {
  if (form !== "whsec") return decodeBytes(word, form);
  const key = decodeBytes(word.replace(/^whsec_/, "").replace(/=*$/, padOf), "base64");
  return key !== null && key.length >= WHSEC_BYTES.min && key.length <= WHSEC_BYTES.max ? key : null;
}

/** The right padding, whatever came: some cut it off. */
function padOf(_: string, at: number): string {
  return "=".repeat((4 - (at % 4)) % 4);
}
