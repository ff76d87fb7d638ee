import { parseWebhookSecrets } from "../../../core/egress/webhook-secret.ts";
import type { Result } from "../../../core/kit/result.ts";

/** Why a tenant has no secret of a name. */
export type MissingSecret = "unbound" | "unset" | "lookup-failed";

/** Why no delivery can be verified by the secret that a webhook names. */
export type SecretFlaw = MissingSecret | "malformed";

/** Say why no delivery can be verified by a secret; null where one can. */
export function flawOf(verify: unknown, secret: Result<string, MissingSecret>): SecretFlaw | null {
  if (!secret.ok) return secret.error;
  const isReadable = verify !== "standard-webhooks" || parseWebhookSecrets(secret.value) !== null;
  return isReadable ? null : "malformed";
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
    hint: "The secret is bound to the tenant, and the deployment has none of that name; the operator sets it.",
  },
  "lookup-failed": {
    is: "could not be looked up",
    expected: "a secret that can be looked up",
    hint: "The lookup of the tenant's own secret failed; try again, and tell the operator where it goes on.",
  },
  malformed: {
    is: "is not a Standard Webhooks secret",
    expected: "the name of a Standard Webhooks secret",
    hint: "Its text has to be 'whsec_' and 24 to 64 bytes as base64, or two of those with a space between them; the operator sets it right.",
  },
};
