import { type Failure, makeFailure } from "../contract/failure.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";
import { listHosts, type Tool, toOrigin } from "../catalog/define-tool.ts";

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/** Names that resolve inside networks, clusters and overlays only, and public ones made to stand for any address. */
const PRIVATE_SUFFIX = new RegExp(
  `(?:^|\\.)(?:${[
    "localhost|local|localdomain|internal|intranet|private|lan|corp|home|mail|domain|workgroup|dhcp",
    "svc|default|kube-system|consul|nomad|docker|onion|i2p|alt|ts\\.net",
    "home\\.arpa|in-addr\\.arpa|ip6\\.arpa",
    "nip\\.io|sslip\\.io|xip\\.io|localtest\\.me|lvh\\.me|vcap\\.me",
  ].join("|")})$`,
);
const THIS_MACHINE = /^(?:(?:.*\.)?localhost|127\.[\d.]+|\[::1\])$/;
/** Names under which clouds serve an instance's credentials; the others end in `.internal` or have no dot. */
const METADATA =
  /(?:^|\.)metadata\.(?:goog|tencentyun\.com|packet\.net|platformequinix\.com|azure\.com|oraclecloud\.com|aliyun\.com)$/;
/** Reserved names, which have no owner (RFC 2606). A tool that declares one means a stand-in; a caller cannot. */
const RESERVED = /\.(?:test|example|invalid)$/;

/** Checks where a request is about to go and gives back the address it checked. */
export interface UrlGuard {
  (url: string | URL): Result<URL, Failure>;
  /** The origin of an address that is written as one that may be called, a slash and a path; null for all others. */
  originOf(url: string | URL): string | null;
}

/**
 * Create the guard of one tool. Which of its origins may be called at all is worked out once; an address that is
 * nothing but such an origin and a path passes at a glance, everything else goes through `guardUrl` and its reasons.
 */
export function createUrlGuard(
  allowedOrigins: ReadonlySet<string>,
  trustedOrigins: ReadonlySet<string>,
): UrlGuard {
  const callable = new Set(
    [...allowedOrigins].filter((origin) => guardUrl(origin, allowedOrigins, trustedOrigins).ok),
  );
  const guard = (url: string | URL): Result<URL, Failure> => {
    const target = typeof url === "string" ? URL.parse(url) : url;
    // A user name or password stands between the scheme and the host, so such an address does not start with its origin.
    if (target !== null && callable.has(target.origin) && target.href.startsWith(`${target.origin}/`))
      return ok(target);
    return guardUrl(url, allowedOrigins, trustedOrigins);
  };
  const prefixes = [...callable].map((origin) => ({ origin, prefix: `${origin}/` }));
  // The slash ends the authority (WHATWG URL, 4.4), so nothing behind it can lead elsewhere, and needs no parsing here.
  const originOf = (url: string | URL): string | null =>
    typeof url === "string" ? (prefixes.find(({ prefix }) => url.startsWith(prefix))?.origin ?? null) : null;
  return Object.assign(guard, { originOf });
}

/**
 * Check where a request is about to go, before any socket: the origin must be one the tool declares, over https, and its
 * host a public name.
 *
 * Comparing whole origins covers schemes, ports and look-alike names at once, because `URL` has already brought every
 * spelling (percent-encoding, full-width letters, decimal, hex, octal and short addresses) to one form. The rules on
 * hosts hold for declared ones too: a declaration is no reason to reach into a private network, only `trustedOrigins`
 * is. Being trusted replaces no declaration.
 */
export function guardUrl(
  url: string | URL,
  allowedOrigins: ReadonlySet<string>,
  trustedOrigins: ReadonlySet<string>,
): Result<URL, Failure> {
  const target = typeof url === "string" ? URL.parse(url) : url;
  if (target === null) return denied("The tool's address is not an absolute URL.");
  const { protocol, hostname, origin } = target;
  if (protocol !== "https:" && protocol !== "http:")
    return denied("Only https URLs may be called, no other scheme.");

  const host = visibleText(hostname, 100);
  if (target.username !== "" || target.password !== "")
    return denied(`The URL for '${host}' has a user name or password in it.`);
  if (!trustedOrigins.has(origin)) {
    const what = describePrivate(hostname);
    const own = THIS_MACHINE.test(hostname)
      ? ", and on a development server origins in VOLLEY_DEV_ORIGINS"
      : "";
    if (what !== null) return denied(`'${host}' is ${what}; only public host names may be called${own}.`);
    if (protocol !== "https:") return denied(`'${host}' may be called over https only.`);
  }
  if (!allowedOrigins.has(origin))
    return denied(`'${host}', on the port asked for, is not among the hosts that the tool declares.`);
  return ok(target);
}

/**
 * Check an address that a caller names: an absolute https URL of a public host, on port 443, without credentials. A trusted
 * origin may be otherwise.
 *
 * The rules are those of `guardUrl` with every origin declared. No declaration vouches for the address, so two rules are added: a
 * reserved name is refused, and so is an odd port, by which a caller would have us knock on other services.
 */
export function guardPublicUrl(url: string | URL, trustedOrigins: ReadonlySet<string>): Result<URL, Failure> {
  const target = typeof url === "string" ? URL.parse(url) : url;
  const guarded = guardUrl(target ?? url, new Set(target === null ? [] : [target.origin]), trustedOrigins);
  if (!guarded.ok || trustedOrigins.has(guarded.value.origin)) return guarded;
  const host = visibleText(guarded.value.hostname, 100);
  if (RESERVED.test(guarded.value.hostname))
    return denied(`'${host}' is a name that is never registered; use the host's real one.`);
  if (guarded.value.port !== "")
    return denied(`'${host}' may be called on port 443 only; leave the port out.`);
  return guarded;
}

/** The guard of a tool that may go wherever its caller says. */
export function createPublicGuard(trustedOrigins: ReadonlySet<string>): UrlGuard {
  return Object.assign((url: string | URL) => guardPublicUrl(url, trustedOrigins), { originOf: () => null });
}

/** Say what makes a canonical host name unfit for the public internet, or null when nothing does. */
function describePrivate(hostname: string): string | null {
  if (hostname.startsWith("[") || IPV4.test(hostname)) return "an IP address";
  if (hostname.endsWith(".")) return "a name with a trailing dot";
  if (!hostname.includes(".")) return "a local name";
  if (PRIVATE_SUFFIX.test(hostname)) return "a private name";
  if (METADATA.test(hostname)) return "a metadata service";
  return null;
}

function denied(hint: string): Result<never, Failure> {
  return err(makeFailure("EGRESS_DENIED", { hint }));
}

/**
 * Refuse tools that declare a host which every call of theirs would be refused: plain http, an address, a private name.
 * Throws with all of them, by their tools, because at start-up their author is there to mend it.
 */
export function checkHosts(tools: readonly Tool[], trustedOrigins: ReadonlySet<string>): void {
  const problems = tools.flatMap((tool) =>
    listHosts(tool).flatMap((host) => {
      const origin = toOrigin(host);
      const guarded = origin === null ? null : guardUrl(origin, new Set([origin]), trustedOrigins);
      if (guarded?.ok === true) return [];
      const why = guarded?.error.hint ?? "It is no address.";
      return [`tool '${tool.name}' can never reach its host '${visibleText(host, 100)}': ${why}`];
    }),
  );
  if (problems.length === 0) return;
  const advice =
    "VOLLEY_DEV_ORIGINS opens origins of your own machine to a development server, never to a deployed Worker.";
  throw new Error(`Cannot create Volley: ${[...problems, advice].join("\n  ")}`);
}
