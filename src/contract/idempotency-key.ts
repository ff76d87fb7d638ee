import { err, ok, type Result } from "../kit/result.ts";
import { LIMITS } from "./limits.ts";

const PRINTABLE = /^[\x20-\x7e]+$/;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * Parse an idempotency key, quoted (the string of RFC 8941 that the `Idempotency-Key` draft asks for) or bare: both
 * spellings are the same key. The reason why it is none is a sentence for whoever sent it.
 */
export function parseIdempotencyKey(text: string): Result<string, string> {
  const trimmed = text.trim();
  const key = trimmed.startsWith('"')
    ? QUOTED.exec(trimmed)?.[1]
        ?.replaceAll(/\\(["\\])/g, "$1")
        .trim()
    : trimmed;
  if (key === undefined) return err("The idempotency key begins with a quote and does not end with one.");
  if (key === "" || key.length > LIMITS.idempotencyKeyCharacters || !PRINTABLE.test(key)) {
    return err(
      `An idempotency key is 1 to ${LIMITS.idempotencyKeyCharacters} printable ASCII characters, such as a UUID.`,
    );
  }
  return ok(key);
}
