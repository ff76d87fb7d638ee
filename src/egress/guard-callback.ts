import { type Failure, makeFailure } from "../contract/failure.ts";
import { toMisfit } from "../contract/issues.ts";
import { LIMITS } from "../contract/limits.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";
import { guardUrl, isPublicHost } from "./guard-url.ts";

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
  // The caller says where to call, so every origin counts as declared; the rules on schemes and hosts are left.
  const guarded = guardUrl(url, new Set([url.origin]), trustedOrigins);
  if (!guarded.ok) return err({ ...guarded.error, hint: `callback_url: ${guarded.error.hint}` });
  const isTrusted = trustedOrigins.has(url.origin);
  const host = visibleText(url.hostname, 100);
  if (!isTrusted && !isPublicHost(url.hostname)) {
    const hint = `callback_url: '${host}' is a name that nobody has; name the host that shall be told.`;
    return err(makeFailure("EGRESS_DENIED", { hint }));
  }
  // A tool's port is declared; here nobody vouches for one, and an odd port is how a caller has us knock on other services.
  if (url.port !== "" && !isTrusted) {
    const hint = `callback_url: '${host}' may be called on port 443 only; leave the port out.`;
    return err(makeFailure("EGRESS_DENIED", { hint }));
  }
  return ok(guarded.value);
}
