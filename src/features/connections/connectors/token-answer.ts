import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { follow, parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import type { OAuthConnector } from "./connector.ts";
import { toShortScopes } from "./scopes.ts";

/** The answer of a provider as it came; null where none came, or it was too long. */
export type CameBack = { readonly status: number; readonly text: string } | null;

/** The tokens that a provider gave. */
export interface Tokens {
  readonly access: string;
  /** Null where it gave none. */
  readonly refresh: string | null;
  /** How long the access token is good, in seconds; null where it does not say. */
  readonly expiresInS: number | null;
  /** In their short form; null where it does not say, which means those that were asked for. */
  readonly scopes: readonly string[] | null;
  /** An address or a login; null where it does not say. */
  readonly account: string | null;
  /** The provider's id of the account; null where it does not say. */
  readonly accountId: string | null;
}

/** The meaning of an answer with tokens, or without. */
export type TokenAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** The code or the refresh token is not good, and will not be. */
  | { readonly kind: "invalid-grant" }
  /** The provider does not know the client: its operator's to repair. */
  | { readonly kind: "invalid-client" }
  /** It may be otherwise the next time. */
  | { readonly kind: "failed" }
  /** There was no answer, or one that says that the provider cannot just now. */
  | { readonly kind: "unavailable" };

/** Codes of refusals after which the same code or refresh token is never taken again. */
const GRANT_IS_OVER = new Set([
  "invalid_grant",
  // GitHub's and Slack's words for the same.
  "bad_verification_code",
  "bad_refresh_token",
  "invalid_refresh_token",
  "token_revoked",
  "token_expired",
  "account_inactive",
  "invalid_code",
  "code_already_used",
]);
const CLIENT_IS_WRONG = new Set([
  "invalid_client",
  "unauthorized_client",
  "incorrect_client_credentials",
  "redirect_uri_mismatch",
  "bad_client_secret",
  "invalid_client_id",
  "bad_redirect_uri",
]);

/**
 * Read the answer of a token's address. GitHub and Slack say that they refuse in an answer of 200. Whatever it is, nothing of its text
 * goes any further but the tokens.
 */
export function readTokenAnswer(came: CameBack, connector: OAuthConnector): TokenAnswer {
  if (came === null || came.status >= 500 || came.status === 429) return { kind: "unavailable" };
  const parsed = attemptNow(() => JSON.parse(came.text) as unknown);
  const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const code = typeof body["error"] === "string" ? body["error"] : "";
  if (GRANT_IS_OVER.has(code)) return { kind: "invalid-grant" };
  if (CLIENT_IS_WRONG.has(code) || came.status === 401) return { kind: "invalid-client" };
  if (came.status < 200 || came.status > 299 || code !== "") return { kind: "failed" };
  // Slack's answer to a refresh has the tokens on top, its answer to a code within.
  const tokens =
    readTokens(at(body, connector.tokensAt), body, connector) ?? readTokens(body, body, connector);
  return tokens === null ? { kind: "failed" } : { kind: "tokens", tokens };
}

/** The characters of a token in a header (RFC 6750, 2.1), and a few more that are sent by some. */
const TOKEN = /^[\x21-\x7e]+$/;

function readTokens(of: unknown, body: JsonObject, connector: OAuthConnector): Tokens | null {
  if (!isJsonObject(of)) return null;
  const access = readToken(of["access_token"]);
  if (access === null) return null;
  const expires = Number(of["expires_in"] ?? Number.NaN);
  const scope = of["scope"];
  return {
    access,
    refresh: readToken(of["refresh_token"]),
    expiresInS: Number.isFinite(expires) && expires > 0 ? expires : null,
    scopes: typeof scope === "string" ? toShortScopes(splitScopes(scope), connector) : null,
    ...readWhose(body, claimsOf(body["id_token"]), connector),
  };
}

function readToken(value: unknown): string | null {
  const fits = typeof value === "string" && TOKEN.test(value) && value.length <= LIMITS.tokenCharacters;
  return fits ? value : null;
}

/** Most write spaces, some commas; no scope has either. */
function splitScopes(scope: string): string[] {
  return scope.split(/[ ,]+/).filter((one) => one !== "");
}

/** Find whose account it is in what a provider said; null where nothing there says it. */
export function readAccount(
  said: unknown,
  { accountAt, accountIdAt }: OAuthConnector,
): Pick<Tokens, "account" | "accountId"> {
  const account = accountAt.map((pointer) => readName(at(said, pointer))).find((one) => one !== null);
  const parts = accountIdAt.map((pointer) => readName(at(said, pointer)));
  const isWhole = parts.length > 0 && !parts.includes(null);
  return { account: account ?? null, accountId: isWhole ? parts.join("/") : null };
}

function readWhose(
  body: unknown,
  claims: unknown,
  connector: OAuthConnector,
): Pick<Tokens, "account" | "accountId"> {
  const [said, claimed] = [readAccount(body, connector), readAccount(claims, connector)];
  return { account: said.account ?? claimed.account, accountId: said.accountId ?? claimed.accountId };
}

/** Ids are numbers at some. */
function readName(found: unknown): string | null {
  const text = Number.isSafeInteger(found) ? String(found) : found;
  return typeof text === "string" && text !== "" ? text.slice(0, LIMITS.accountCharacters) : null;
}

function at(value: unknown, pointer: string): unknown {
  const found = follow(value, parsePointer(pointer) ?? []);
  return found.found ? found.value : undefined;
}

/**
 * The claims of an id token. It came from the provider itself over TLS, so its signature says nothing more (OpenID Connect Core,
 * 3.1.3.7); it lets no one in, and only names an account to people.
 */
function claimsOf(idToken: unknown): unknown {
  if (typeof idToken !== "string") return undefined;
  const [, payload = ""] = idToken.split(".");
  const parsed = attemptNow(() => {
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (one) =>
      one.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  });
  return parsed.ok ? parsed.value : undefined;
}
