import { follow, isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { fromBase64 } from "../../../core/kit/base64.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import type { SignText } from "../../../core/egress/ports.ts";
import type { OAuthConnector } from "./connector.ts";
import type { Client } from "./provider-request.ts";
import { toShortScopes } from "./scopes.ts";

/** The answer of a provider as it came; null where none came, or it was too long. */
export type CameBack = {
  readonly status: number;
  readonly text: string;
  /** How long it says that it is not to be asked. */
  readonly retryAfterMs?: number | undefined;
} | null;

export interface Tokens {
  readonly access: string;
  /** Null where it gave none. */
  readonly refresh: string | null;
  /** How long the access token is good, in seconds; null where it does not say. */
  readonly expiresInS: number | null;
  /** In their short form; null where it does not say, or says none, which means those that were there or asked for. */
  readonly scopes: readonly string[] | null;
  /** An address or a login; null where it does not say. */
  readonly account: string | null;
  /** The provider's id of the account; null where it does not say. */
  readonly accountId: string | null;
  /** The site of the account from then on; absent where it does not say. */
  readonly site?: string;
}

/** The meaning of an answer with tokens, or without. */
export type TokenAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** The code or the refresh token is not good, and will not be. */
  | { readonly kind: "invalid-grant" }
  /** The provider does not know the client: its operator's to repair. */
  | { readonly kind: "invalid-client"; readonly answer: string }
  /** It says no, in words that may be about the grant, the client, or the moment. */
  | { readonly kind: "refused"; readonly answer: string }
  /** There was no answer, or one that says that the provider cannot just now. */
  | { readonly kind: "unavailable"; readonly retryAfterMs?: number | undefined };

/** Words of refusals after which the same code or refresh token is never taken again: the standard's, GitHub's, HubSpot's and Slack's. */
const GRANT_IS_OVER = new Set([
  "invalid_grant",
  "bad_verification_code",
  "bad_refresh_token",
  "invalid_refresh_token",
  "token_revoked",
  "token_expired",
  "account_inactive",
  "invalid_code",
  "code_already_used",
]);
/** Words that are about the client and nothing else. Some say `unauthorized_client` of a dead grant. */
const CLIENT_IS_WRONG = new Set([
  "invalid_client",
  "incorrect_client_credentials",
  "bad_client_secret",
  "invalid_client_id",
]);
/** Words of a provider that cannot just now, with whatever status. */
const NOT_NOW = new Set([
  "temporarily_unavailable",
  "server_error",
  "slow_down",
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
]);

/**
 * Read the answer of a token's address, which is JSON or a form. GitHub and Slack say that they refuse in an answer of 200. Only the tokens of its text go further, and a refusal's one word.
 */
export function readTokenAnswer(came: CameBack, connector: OAuthConnector): TokenAnswer {
  if (came === null) return { kind: "unavailable" };
  const { status, retryAfterMs } = came;
  const body = readBody(came.text);
  const words = wordsOf(body);
  if (words.some((word) => GRANT_IS_OVER.has(word))) return { kind: "invalid-grant" };
  const answer = `${status} ${words[0] ?? ""}`.trim();
  if (words.some((word) => CLIENT_IS_WRONG.has(word))) return { kind: "invalid-client", answer };
  const isBusy = status >= 500 || status === 408 || status === 429;
  if (isBusy || words.some((word) => NOT_NOW.has(word))) return { kind: "unavailable", retryAfterMs };
  const { error } = body;
  const isNo = status >= 400 || (typeof error === "string" && error !== "") || body["ok"] === false;
  if (isNo) return { kind: "refused", answer };
  // Slack's answer to a refresh has the tokens on top, its answer to a code within.
  const tokens =
    readTokens(at(body, connector.tokensAt), body, connector) ?? readTokens(body, body, connector);
  return tokens === null ? { kind: "unavailable", retryAfterMs } : { kind: "tokens", tokens };
}

function readBody(text: string): JsonObject {
  const parsed = attemptNow(() => JSON.parse(text) as unknown);
  if (parsed.ok) return isJsonObject(parsed.value) ? parsed.value : {};
  return Object.fromEntries(new URLSearchParams(text.trim()));
}

/** The words by which an answer names a refusal: `error` with most, beside it or instead another field with some. */
function wordsOf(body: JsonObject): string[] {
  const { error } = body;
  const within = isJsonObject(error) ? [error["code"], error["type"], error["status"]] : [error];
  return [
    ...within,
    body["code"],
    body["error_code"],
    body["errorCode"],
    body["status"],
    body["category"],
  ].flatMap((word) => (typeof word === "string" && /^[\w.-]{1,40}$/.test(word) ? word.toLowerCase() : []));
}

/** The characters of a token in a header (RFC 6750, 2.1), and a few more that are sent by some. */
const TOKEN = /^[\x21-\x7e]+$/;

function readTokens(of: unknown, body: JsonObject, connector: OAuthConnector): Tokens | null {
  if (!isJsonObject(of)) return null;
  const access = readToken(of["access_token"]);
  if (access === null) return null;
  const expires = Number(of["expires_in"] ?? Number.NaN);
  const scopes = splitScopes(of["scope"] ?? of["scopes"]);
  const site = readSite(body, connector);
  return {
    access,
    refresh: readToken(of["refresh_token"]),
    expiresInS: Number.isFinite(expires) && expires > 0 ? expires : null,
    scopes: scopes.length > 0 ? toShortScopes(scopes, connector) : null,
    ...readWhose(body, claimsOf(body["id_token"]), connector),
    ...(site !== null && { site }),
  };
}

function readSite(body: JsonObject, { site }: OAuthConnector): string | null {
  if (site?.at === undefined) return null;
  const host = URL.parse(String(at(body, site.at)))?.host ?? "";
  return site.pattern.test(host) ? host : null;
}

function readToken(value: unknown): string | null {
  const fits = typeof value === "string" && TOKEN.test(value) && value.length <= LIMITS.tokenCharacters;
  return fits ? value : null;
}

/** Most write blanks, some commas, semicolons or lists; no scope has any of these in it. */
function splitScopes(scope: unknown): string[] {
  const written: unknown[] = Array.isArray(scope) ? scope : [scope];
  return written
    .flatMap((one) => (typeof one === "string" ? one.split(/[\s,;]+/) : []))
    .filter((one) => one !== "");
}

/** Find whose account it is in what a provider said; null where nothing there says it. */
export function readAccount(
  said: unknown,
  { accountAt, accountIdAt }: Pick<OAuthConnector, "accountAt" | "accountIdAt">,
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
 * 3.1.3.7); it lets nobody's program in, and only names an account to people.
 */
function claimsOf(idToken: unknown): unknown {
  if (typeof idToken !== "string") return undefined;
  const [, payload = ""] = idToken.split(".");
  const parsed = attemptNow((): unknown => {
    const bytes = fromBase64(payload.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(bytes));
  });
  return parsed.ok ? parsed.value : undefined;
}

/** The account that came back with a person in the address. */
export interface CameWith {
  /** It is not forged, and the one that was asked for. */
  readonly isRight: boolean;
  readonly accountId: string | null;
}

const NOTHING: CameWith = { isRight: true, accountId: null };

/** Read whose account a provider names in the address by which a person comes back. */
export async function readCallback(
  { connector: { callback }, secret }: Client,
  query: URLSearchParams,
  sign: SignText,
): Promise<CameWith> {
  if (callback === null) return NOTHING;
  const { id, expected, signedBy } = callback;
  const accountId = query.get(id);
  const fits = accountId !== null && accountId !== "" && accountId.length <= LIMITS.accountCharacters;
  const isExpected = expected === undefined || accountId === expected;
  const isSigned =
    signedBy === undefined ||
    (await isSignedBy(query, signedBy, (text) => sign(new TextEncoder().encode(secret), text)));
  return { isRight: fits && isExpected && isSigned, accountId };
}

async function isSignedBy(
  query: URLSearchParams,
  by: string,
  sign: (text: string) => Promise<string>,
): Promise<boolean> {
  const signed = [...query]
    .filter(([name]) => name !== by)
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const mac = atob(await sign(signed));
  const hex = Array.from(mac, (one) => one.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return hex === query.get(by);
}
