import { ToolFailure } from "../../feature/tool.ts";
import type { UpstreamRequest } from "../../core/catalog/define-tool.ts";
import { toBasic } from "../../core/kit/base64.ts";
import type { Connector, KeyPlace } from "./connectors/connector.ts";
import { toTokenValue } from "./connectors/provider-request.ts";

/** The characters of a header's value (RFC 9110, 5.5), without Latin-1, which few servers read alike. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** The key of a place that takes any text encoded: no line break or other control character. */
const ENCODED_VALUE = /^\P{Cc}+$/u;

/** The keys that a request can carry in a place: the pattern, and its words. */
export function keysOf(as: KeyPlace): { readonly pattern: RegExp; readonly inWords: string } {
  return as === "basic" || (typeof as === "object" && "query" in as)
    ? { pattern: ENCODED_VALUE, inWords: "a key without line breaks or other control characters" }
    : { pattern: HEADER_VALUE, inWords: "a key of visible ASCII characters, without line breaks" };
}

/** Give a request to a connector's host the credentials of an account. Throws where the address is another one's. */
export function withCredentials(
  connector: Connector,
  access: string,
  { url, request }: { readonly url: string | URL; readonly request: UpstreamRequest },
): { readonly url: string; readonly request: UpstreamRequest } {
  const target = URL.parse(String(url));
  if (target === null || !connector.origins.has(target.origin))
    throw new ToolFailure("EGRESS_DENIED", {
      hint: `The account's credentials go to the hosts of '${connector.name}' only; the tool asked for another one.`,
    });
  if (connector.kind === "oauth2") {
    const { tokenHeader } = connector;
    return {
      url: target.href,
      request: withHeader(request, tokenHeader.name, toTokenValue(tokenHeader, access)),
    };
  }
  const { as } = connector;
  if (typeof as === "object" && "query" in as) {
    target.searchParams.set(as.query, access);
    return { url: target.href, request };
  }
  if (typeof as === "object") return { url: target.href, request: withHeader(request, as.header, access) };
  const value = as === "basic" ? toBasic(access) : `Bearer ${access}`;
  return { url: target.href, request: withHeader(request, "authorization", value) };
}

function withHeader(request: UpstreamRequest, name: string, value: string): UpstreamRequest {
  if (!HEADER_VALUE.test(value))
    throw new ToolFailure("CONNECTION_REQUIRED", {
      hint: "The subject's key holds characters that no header can; the application has to send it anew.",
    });
  const others = Object.entries(request.headers ?? {}).filter(
    ([one]) => one.toLowerCase() !== name.toLowerCase(),
  );
  return { ...request, headers: { ...Object.fromEntries(others), [name]: value } };
}
