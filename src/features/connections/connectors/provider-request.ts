import type { ClientAuth, OAuthConnector } from "./connector.ts";
import { toAskedScopes } from "./scopes.ts";

export interface ProviderRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Who asks: the connector, and the secret of its client. */
export interface Client {
  readonly connector: OAuthConnector;
  readonly secret: string;
}

/** The parts of a sign-in that are its own. */
export interface SignIn {
  readonly state: string;
  /** Where the provider sends the person back to. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The digest of the proof key; unused where the provider takes none. */
  readonly challenge: string;
}

/** Make the address where a person signs in at a provider (RFC 6749, 4.1.1, and RFC 7636, 4.3). */
export function toAuthorizeUrl(
  connector: OAuthConnector,
  { state, redirectUri, scopes, challenge }: SignIn,
): string {
  const url = new URL(connector.authorizeUrl);
  const asked = toAskedScopes(scopes, connector).join(connector.scopeSeparator);
  const parameters = {
    ...connector.authorize,
    response_type: "code",
    client_id: connector.clientId,
    redirect_uri: redirectUri,
    ...(asked !== "" && { [connector.scopeParameter]: asked }),
    state,
    ...(connector.pkce && { code_challenge: challenge, code_challenge_method: "S256" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A code that came back with a person, and what its link was opened with. */
export interface Exchange {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Make the request that exchanges a code for tokens (RFC 6749, 4.1.3). */
export function makeExchange(client: Client, { code, redirectUri, verifier }: Exchange): ProviderRequest {
  const { connector } = client;
  const fields = {
    ...connector.tokenParameters,
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...(connector.pkce && { code_verifier: verifier }),
  };
  return { ...toPost(client, fields, { auth: connector.clientAuth.code }), url: connector.tokenUrl };
}

/** Make the request that exchanges a refresh token for the next access token (RFC 6749, 6). */
export function makeRefresh(client: Client, refreshToken: string): ProviderRequest {
  const { connector } = client;
  const fields = {
    ...connector.tokenParameters,
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  };
  return { ...toPost(client, fields), url: connector.refreshUrl };
}

/** Whether a token is taken back by the access token, which has to be good still. */
export function revokesByAccess({ revokeUrl, revoke }: OAuthConnector): boolean {
  return revokeUrl !== null && revoke !== "rfc7009";
}

/** Make the request that takes a token back; null where the provider has none. */
export function makeRevocation(
  client: Client,
  { access, refresh }: { readonly access: string; readonly refresh: string | null },
): ProviderRequest | null {
  const { connector } = client;
  const { revokeUrl, clientId, headers } = connector;
  if (revokeUrl === null) return null;
  switch (connector.revoke) {
    case "rfc7009":
      // With a refresh token the grant goes, and with it what was made of it.
      return { ...toPost(client, { token: refresh ?? access }), url: revokeUrl };
    case "json":
      return { ...toPost(client, { token: access }, { body: "json" }), url: revokeUrl };
    case "bearer":
    case "delete":
      return {
        url: revokeUrl,
        method: connector.revoke === "bearer" ? "POST" : "DELETE",
        headers: { ...headers, authorization: `Bearer ${access}` },
      };
    case "github":
      return {
        url: revokeUrl.replace("{client_id}", encodeURIComponent(clientId)),
        method: "DELETE",
        headers: { ...headers, "content-type": "application/json", authorization: toBasic(client) },
        body: JSON.stringify({ access_token: access }),
      };
  }
}

/** Make the request that asks whose account a token is of; null where the provider's answer with tokens says it. */
export function makeAccountRequest(
  { accountRequest, headers, tokenHeader }: OAuthConnector,
  access: string,
): ProviderRequest | null {
  if (accountRequest === null) return null;
  const { method, url, body } = accountRequest;
  const own = { ...headers, accept: headers["accept"] ?? "application/json" };
  const sent = { ...own, [tokenHeader.name]: toTokenValue(tokenHeader, access) };
  return body === undefined
    ? { url, method, headers: sent }
    : { url, method, headers: { ...sent, "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Write a token as its provider's APIs take it. */
export function toTokenValue({ scheme }: OAuthConnector["tokenHeader"], access: string): string {
  return scheme === "" ? access : `${scheme} ${access}`;
}

interface PostOptions {
  readonly auth?: ClientAuth;
  readonly body?: "form" | "json";
}

function toPost(
  client: Client,
  fields: Readonly<Record<string, string>>,
  { auth = client.connector.clientAuth.refresh, body = client.connector.body }: PostOptions = {},
): Pick<ProviderRequest, "method" | "headers" | "body"> {
  const { clientId, headers } = client.connector;
  const sent = auth === "body" ? { ...fields, client_id: clientId, client_secret: client.secret } : fields;
  return {
    method: "POST",
    headers: {
      ...headers,
      // GitHub answers as a form otherwise.
      accept: "application/json",
      "content-type": body === "json" ? "application/json" : "application/x-www-form-urlencoded",
      ...(auth === "basic" && { authorization: toBasic(client) }),
      ...(auth === "secret" && { authorization: `Basic ${btoa(`${client.secret}:`)}` }),
    },
    body: body === "json" ? JSON.stringify(sent) : new URLSearchParams(sent).toString(),
  };
}

/** RFC 6749, 2.3.1: both parts are form-encoded before they are joined. */
function toBasic({ connector, secret }: Client): string {
  return `Basic ${btoa(`${formEncode(connector.clientId)}:${formEncode(secret)}`)}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ t: text }).toString().slice(2);
}
