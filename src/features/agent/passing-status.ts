/** Refusals of a request that would be taken later: a timeout, a lock, a rate limit. */
const LATER = new Set([408, 409, 429]);

/**
 * Whether a model's server may answer the same request otherwise in a moment: the statuses after which the official clients send it
 * again, unless the server itself says in `x-should-retry` what to do.
 */
export function isPassingStatus(status: number, headers: Headers): boolean {
  const said = headers.get("x-should-retry");
  if (said === "true" || said === "false") return said === "true";
  return LATER.has(status) || status >= 500;
}
