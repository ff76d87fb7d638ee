import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe, toMisfit } from "../contract/issues.ts";
import * as LIMITS from "../contract/limits.ts";
import { err, type Result } from "../kit/result.ts";
import { guardPublicUrl } from "./guard-url.ts";

/**
 * Check where a caller wants to be told of a job's end: an absolute https URL of a public host on port 443, without credentials.
 *
 * Failures name the host at most: path and query may hold a token, and what is no URL may hold anything.
 */
export function guardCallback(text: string, trustedOrigins: ReadonlySet<string>): Result<URL, Failure> {
  const url = text.length > LIMITS.callbackUrlLength ? null : URL.parse(text);
  if (url === null) {
    const issue = {
      path: "/callback_url",
      expected: `an absolute https URL of at most ${LIMITS.callbackUrlLength} characters`,
      received: `${text.length} characters that are none`,
    };
    return err(makeFailure("INVALID_ACTION", toMisfit(issue)));
  }
  const guarded = guardPublicUrl(url, trustedOrigins);
  if (guarded.ok) return guarded;
  const issue = { path: "/callback_url", expected: "a public https URL", received: describe(url.origin) };
  return err({ ...guarded.error, issues: [issue], hint: `callback_url: ${guarded.error.hint}` });
}
