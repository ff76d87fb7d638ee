const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The host names and the origins that were configured; both may be none. */
export interface AllowedOrigins {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

/**
 * Whether a request comes from where it may: what stops a web page from reaching a server on its visitor's own machine
 * (DNS rebinding), and pages of elsewhere from using a browser as their client.
 *
 * The host is one of those configured. Where none is, the platform's routes decide which names lead here, and over plain
 * http only loopback names do: that is how a development server is reached. An `Origin` is sent by browsers only; it is
 * the host itself or one of those configured. A request with a bearer token may come from any page: a browser adds no token by itself, as
 * it adds cookies. At a loopback name that is not believed, because any page's visitor may have a server there.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#security-warning
 */
export function isAllowedOrigin(request: Request, { hosts, origins }: AllowedOrigins): boolean {
  const hostname = readHostname(request.headers.get("host") ?? new URL(request.url).host);
  if (hostname === null) return false;
  const hostAllowed =
    hosts.size > 0 ? hosts.has(hostname) : request.url.startsWith("https:") || LOOPBACK.has(hostname);
  if (!hostAllowed) return false;

  const origin = request.headers.get("origin");
  if (origin === null || origins.has(origin)) return true;
  if (!LOOPBACK.has(hostname) && /^Bearer +\S/i.test(request.headers.get("authorization") ?? "")) return true;
  const from = URL.parse(origin)?.hostname;
  return from === hostname || (from !== undefined && LOOPBACK.has(from) && LOOPBACK.has(hostname));
}

/** The name in a `Host` header; null if it is not one, or more than that. The request's own URL is made of it. */
function readHostname(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  return url !== null && url.href === `http://${url.host}/` ? url.hostname : null;
}

/** A list of header names, as browsers send it; the official clients have a dozen of their own. */
const HEADER_NAMES = /^[\w-]{1,64}(?: *, *[\w-]{1,64}){0,63}$/;

/** How long a browser need not ask again, in seconds: two hours is the most that Chromium keeps. */
const MAX_AGE_S = 7_200;

/** Whether a browser asks what a page may send, before it sends it. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/**
 * Say what a page may send. It is asked without a key, and says nothing about which paths there are. A page sends its key in a
 * header, never a cookie, so no credentials are allowed, and none are needed.
 *
 * Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 *
 * @param origin `*` for pages of every origin
 */
export function answerPreflight({ headers }: Request, origin: string, methods: string): Response {
  const names = headers.get("access-control-request-headers") ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods,
      ...(HEADER_NAMES.test(names) && { "access-control-allow-headers": names }),
      "access-control-max-age": String(MAX_AGE_S),
      "x-request-id": crypto.randomUUID(),
      vary: `${origin === "*" ? "" : "origin, "}access-control-request-method, access-control-request-headers`,
    },
  });
}
