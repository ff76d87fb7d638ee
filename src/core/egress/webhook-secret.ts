import { fromBase64 } from "../kit/base64.ts";
import { attemptNow } from "../kit/result.ts";

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The bounds of a secret in Standard Webhooks. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** The variable whose secret signs callbacks, unless a key names another. */
export const WEBHOOK_SECRET = "VOLLEY_WEBHOOK_SECRET";

/**
 * Read the secrets in a configuration variable: one, or several separated by spaces while one replaces another. Null when
 * there is none, or one is not a Standard Webhooks secret (`whsec_` and 24 to 64 bytes as base64).
 */
export function parseWebhookSecrets(text: string | undefined): readonly Uint8Array[] | null {
  const secrets: Uint8Array[] = [];
  for (const word of (text ?? "").split(/\s+/).filter((part) => part !== "")) {
    const bytes = decodeSecret(word);
    if (bytes === null || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return null;
    secrets.push(bytes);
  }
  return secrets.length === 0 ? null : secrets;
}

function decodeSecret(word: string): Uint8Array | null {
  const base64 = SECRET.exec(word)?.[1];
  if (base64 === undefined) return null;
  const bytes = attemptNow(() => fromBase64(base64));
  return bytes.ok ? bytes.value : null;
}
