import * as LIMITS from "../limits.ts";
import type { Result } from "../../../feature/refuse.ts";
import type { HookForm } from "./read-form.ts";
import { decodeBytes, type KeyForm } from "./hook-form.ts";

/** Why a tenant has no secret of a name. */
export type MissingSecret = "unbound" | "unset" | "lookup-failed";

/** Why no delivery can be verified by the secret that a webhook names. */
export type SecretFlaw = MissingSecret | "malformed" | "undecodable";

/**
 * Say why no delivery can be verified by a secret; null where one can.
 *
 * @param forms those that it is to verify; none where the webhook cannot be read
 */
export function flawOf(forms: readonly HookForm[], secret: Result<string, MissingSecret>): SecretFlaw | null {
  if (!secret.ok) return secret.error;
  const flaws = forms.map(({ proof }): SecretFlaw | null => {
    if (proof.kind === "token" || proof.key === "text") return null;
    const keys = keysOf(secret.value, proof.key);
    if (proof.kind === "ed25519") return keys.some(({ length }) => length === 32) ? null : "undecodable";
    if (keys.length > 0) return null;
    return proof.key === "whsec" ? "malformed" : "undecodable";
  });
  // One of several forms may take it, such as GitLab's token.
  return flaws.includes(null) ? null : (flaws[0] ?? null);
}

/** Each flaw in words: the end of a sentence about the secret, what was expected, and what the operator does about it. */
export const SECRET_FLAWS: Readonly<
  Record<SecretFlaw, { readonly is: string; readonly expected: string; readonly hint: string }>
> = {
  unbound: {
    is: "is not bound to the tenant",
    expected: "a secret that is bound to the tenant",
    hint: "The operator binds it in VOLLEY_TOOL_SECRETS: its name, with this tenant among its 'tenants'.",
  },
  unset: {
    is: "is not set",
    expected: "a secret that is set",
    hint: "The secret is bound to the tenant, and the deployment has none of that name; until the operator sets it every delivery is refused.",
  },
  "lookup-failed": {
    is: "could not be looked up",
    expected: "a secret that can be looked up",
    hint: "The lookup of the tenant's own secret failed; try again, and tell the operator where it goes on.",
  },
  malformed: {
    is: "is not a Standard Webhooks secret",
    expected: "the name of a Standard Webhooks secret",
    hint: "Its text has to be 24 to 64 bytes as base64, with 'whsec_' before them or not, or two of those with a space between them; the operator sets it right.",
  },
  undecodable: {
    is: "is not a key as 'key' says",
    expected: "the name of a secret that is a key as 'key' says",
    hint: "Its text has to be written as 'key' says: in hex or base64, of Ed25519 the sender's public key of 32 bytes; the operator sets it right.",
  },
};

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
