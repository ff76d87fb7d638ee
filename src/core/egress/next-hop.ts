import { type Failure, makeFailure } from "../contract/failure.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { markHeaders } from "./guard-headers.ts";

/** One request as it goes out. The address is text, which cannot change after it was checked. */
export interface Hop {
  readonly href: string;
  readonly origin: string;
  readonly method: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Its author says that it has no effect, so that being sent says nothing about a write. */
  readonly changesNothing: boolean;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Make the request that a redirect asks for, or null when the response is none.
 *
 * The new address passes the same guard as the first one and never leaves https. Another origin gets nothing the tool set but
 * `accept` and `content-type`: a runtime that follows redirects by itself strips `authorization` only and hands `x-api-key` and
 * `cookie` to the named host. Methods change as the Fetch standard says (HTTP-redirect fetch).
 */
export function nextHop(
  hop: Hop,
  response: Response,
  guard: (url: URL) => Result<URL, Failure>,
): Result<Hop, Failure> | null {
  if (!REDIRECTS.has(response.status)) return null;
  const location = response.headers.get("location");
  if (location === null) return null;

  const target = URL.parse(location, hop.href);
  if (target === null) {
    const hint = "The service redirected to something that is not a URL.";
    return err(makeFailure("UPSTREAM_ERROR", { retryable: false, upstreamStatus: response.status, hint }));
  }
  const guarded = guard(target);
  if (!guarded.ok) return guarded;
  if (target.protocol === "http:" && hop.href.startsWith("https:")) {
    const hint = "The service redirected from https to http; that is never followed.";
    return err(makeFailure("EGRESS_DENIED", { hint }));
  }

  const toGet = becomesGet(hop.method, response.status);
  return ok({
    href: target.href,
    origin: target.origin,
    method: toGet ? "GET" : hop.method,
    headers: carryHeaders(hop, target.origin, toGet),
    body: toGet ? undefined : hop.body,
    changesNothing: hop.changesNothing,
  });
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET";
  return method === "POST" && (status === 301 || status === 302);
}

function carryHeaders(hop: Hop, origin: string, toGet: boolean): Record<string, string> {
  const carried = Object.entries(hop.headers).filter(([name]) => {
    if (toGet && name.startsWith("content-")) return false;
    return origin === hop.origin || name === "accept" || name === "content-type";
  });
  return markHeaders(Object.fromEntries(carried));
}
