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
