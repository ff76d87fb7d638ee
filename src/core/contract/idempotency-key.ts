import { err, ok, type Result } from "../kit/result.ts";
import type { Issue } from "./failure.ts";
import { describe } from "./issues.ts";
import * as LIMITS from "./limits.ts";

const PRINTABLE = /^[\x20-\x7e]+$/;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * Parse an idempotency key, quoted (the string of RFC 8941 that the `Idempotency-Key` draft asks for) or bare: both
 * spellings are the same key, and spaces around it are not part of it.
 *
 * @param path where the key was sent, for the issue that says why it is not valid
 */
export function parseIdempotencyKey(text: string, path: string): Result<string, Issue> {
  const trimmed = text.trim();
  const unquoted = QUOTED.exec(trimmed)?.[1]?.replaceAll(/\\(["\\])/g, "$1");
  const key = (trimmed.startsWith('"') ? unquoted : trimmed)?.trim();
  const tooLong = key !== undefined && key.length > LIMITS.idempotencyKeyCharacters;
  // The text is checked as it was sent: a line break that trimming took away was not meant to be there.
  if (key && !tooLong && PRINTABLE.test(text)) return ok(key);
  return err({
    path,
    expected: `1 to ${LIMITS.idempotencyKeyCharacters} printable ASCII characters, quoted or bare, such as a UUID`,
    received: tooLong ? `${key.length} characters` : describe(text),
  });
}
