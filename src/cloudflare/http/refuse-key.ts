import { KEEPER } from "../../core/contract/failure-codes.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import type { Dialect } from "./dialect.ts";

/**
 * Refuse a request whose caller is not known: say what is wrong with the *form* of its key, and never anything about the key.
 * A key that has the right form gets one answer, whether it was revoked, mistyped or invented.
 * `isConfigured` says whether there is any key that could have been sent.
 */
export function refuseKey(
  request: Request,
  { isConfigured, dialect }: { readonly isConfigured: boolean; readonly dialect: Dialect | null },
): Refusal {
  const keyHeader = dialect?.keyHeader;
  const said = isConfigured
    ? `${sayForm(request, keyHeader)} ${keyHeader === undefined ? SEND_KEY : SEND_EITHER}`
    : `No key is configured on this deployment, so every request is refused; its ${KEEPER} sets VOLLEY_KEYS.`;
  return makeRefusal("UNAUTHORIZED", said);
}

const SEND_KEY = "Send it as 'Authorization: Bearer <key>'.";
const SEND_EITHER = "Send it as 'Authorization: Bearer <key>' or as 'x-api-key: <key>'.";

/** Headers in which other services take their keys. */
const OTHER_HEADERS = ["x-api-key", "api-key", "x-auth-token", "x-access-token", "proxy-authorization"];

/** Schemes of other services. Any other first word may be part of a key, and is not repeated. */
const SCHEMES = ["basic", "digest", "token", "apikey", "api-key", "key", "jwt", "negotiate", "hmac"];

/** Names under which keys stand in the addresses of other services. */
const PARAMETERS = /[?&](?:api[_-]?key|key|token|access_token|auth|authorization)=/i;

function sayForm(request: Request, keyHeader: string | undefined): string {
  const sent = request.headers.get("authorization")?.trim() ?? "";
  if (sent === "") {
    const other = OTHER_HEADERS.find((name) => request.headers.has(name));
    if (other !== undefined && other === keyHeader)
      return "The key that came is not one of this deployment's.";
    if (other !== undefined) return `The key came as '${other}', which is not read.`;
    if (PARAMETERS.test(request.url)) return "The key came in the address, where it is not read.";
    return "There is no 'Authorization' header, so no key came.";
  }
  const [scheme = "", ...rest] = sent.split(/\s+/);
  if (/,\s*bearer\b/i.test(sent)) return "The 'Authorization' header came more than once.";
  if (scheme.toLowerCase() !== "bearer") return sayScheme(scheme, rest.length > 0);
  const [key] = rest;
  if (key === undefined) return "There is no key after 'Bearer'.";
  if (key.toLowerCase() === "bearer") return "The word 'Bearer' stands twice.";
  if (/^["'`<[{(]/.test(key)) return "The key stands in quotes or brackets, which are no part of it.";
  if (/^\$|^%.*%$/.test(key))
    return "Instead of the key the name of a variable came, which was not filled in.";
  if (rest.length > 1) return "There is a space in what follows 'Bearer', and no key has one.";
  return "The key that came is not one of this deployment's.";
}

function sayScheme(scheme: string, hasMore: boolean): string {
  const name = scheme.toLowerCase().replace(/:$/, "");
  if (name === "bearer") return "There is a colon after 'Bearer', where a space alone belongs.";
  if (!hasMore) return "The 'Authorization' header has no scheme: the word 'Bearer' is missing.";
  const known = SCHEMES.find((other) => other === name);
  return `The 'Authorization' header has ${known === undefined ? "another scheme" : `the scheme '${scheme}'`} instead of 'Bearer'.`;
}
