import { type Failure, makeFailure } from "../contract/failure.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/**
 * Names the header that marks a request as one of ours.
 *
 * Every outgoing request carries it and our own deployment refuses any request that has it, so a tool whose upstream is,
 * or leads back to, this deployment cannot make it call itself.
 */
export const HOP_HEADER = "volley-hop";

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The characters of a header line: no control but the tab, nothing outside Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Framing and routing belong to the runtime, the way a request came to the proxies on it, the hop mark to us. */
const FORBIDDEN = new Set(
  `${HOP_HEADER} cdn-loop connection content-length expect forwarded host keep-alive te trailer transfer-encoding
  true-client-ip upgrade via x-client-ip x-real-ip`.split(/\s+/),
);
const FORBIDDEN_PREFIX = /^(?:cf-|proxy-|sec-|x-forwarded-)/;

/**
 * Check the headers a tool wants to send and return them ready to be sent, by lower-case name.
 *
 * A name or value that could not stand in a header line is `INVALID_ARGS`, because only an argument can have brought it
 * there; a name that is not a tool's to set is `EGRESS_DENIED`. A hint never shows a value: it may be a secret.
 */
export function guardHeaders(
  headers: Readonly<Record<string, string>>,
): Result<Record<string, string>, Failure> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name))
      return err(makeFailure("INVALID_ARGS", { hint: `'${visibleText(name)}' cannot be a header's name.` }));
    if (!VALUE.test(value)) {
      const hint = `The header '${visibleText(name)}' would hold a line break or another character that no header can; leave it out of the arguments.`;
      return err(makeFailure("INVALID_ARGS", { hint }));
    }
    const lower = name.toLowerCase();
    if (FORBIDDEN.has(lower) || FORBIDDEN_PREFIX.test(lower))
      return err(
        makeFailure("EGRESS_DENIED", { hint: `A tool may not set the header '${visibleText(lower)}'.` }),
      );
    checked[lower] = value;
  }
  return ok(checked);
}

/** Mark headers as ours: the mark that stops recursion, and a name unless the tool gave one. */
export function markHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { "user-agent": "volley", ...headers, [HOP_HEADER]: "1" };
}

/** The headers of a request whose tool sets none. */
export const PLAIN_HEADERS = markHeaders({});

/** A read whose tool sets nothing, as nearly all are: one object, so that the platform's side can have it ready in its own form. */
export const PLAIN_READ: RequestInit = { method: "GET", headers: PLAIN_HEADERS, redirect: "manual" };
