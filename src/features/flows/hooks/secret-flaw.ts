import type { Result } from "../../../core/kit/result.ts";
import type { HookForm } from "./read-form.ts";
import { keysOf } from "./secret-keys.ts";

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
