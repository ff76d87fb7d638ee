/** Why no connection was made: its name was not found, it was refused, or there was no agreement on TLS. */
export type ConnectionFault = "name" | "refused" | "tls";

/** The words and codes of runtimes for each, none of which is said of a request that was under way. */
const FAULTS: readonly (readonly [ConnectionFault, RegExp])[] = [
  [
    "name",
    /\b(?:ENOTFOUND|EAI_AGAIN|getaddrinfo)\b|dns (?:lookup )?(?:error|failed)|name or service not known/i,
  ],
  ["refused", /\bECONNREFUSED\b|\bUND_ERR_CONNECT_TIMEOUT\b|connection refused/i],
  [
    "tls",
    /\bCERT_[A-Z_]+|[A-Z_]+_CERT\b|_CERT_(?:IN|AUTHORITY|ISSUER)|\bERR_TLS_(?:CERT|HANDSHAKE)|tls handshake|certificate is not trusted|\btlsany_meth\b/,
  ],
];

/**
 * Find why the error of a `fetch` says that nothing was sent; null where it does not say so. The causes of an error are looked
 * through, and those of one that stands for several, all of which have to say so.
 *
 * OpenSSL's `wrong version number` is one only of the records before a version is agreed on (`tlsany_meth`): a record that is no TLS may
 * come after a request as well. A Worker of Cloudflare's runtime is told "Network connection lost." or "internal error" of all of them,
 * as of a connection that broke afterwards, with the same fields: that proves nothing.
 */
export function findConnectionFault(error: unknown, depth = 0): ConnectionFault | null {
  if (!(error instanceof Error) || depth > DEEPEST) return null;
  const {
    code = "",
    syscall,
    message,
  } = error as Error & { readonly code?: unknown; readonly syscall?: unknown };
  const own = FAULTS.find(([, words]) => words.test(`${String(code)} ${message}`));
  if (own !== undefined) return own[0];
  if (syscall === "connect") return "refused";
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.map((one) => findConnectionFault(one, depth + 1));
    return all.includes(null) ? null : all[0]!;
  }
  return findConnectionFault(error.cause, depth + 1);
}

const DEEPEST = 5;
