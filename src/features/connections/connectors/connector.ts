/** The part that every kind of connector has. */
interface AnyConnector {
  readonly name: string;
  /** Where its credentials may go. */
  readonly origins: ReadonlySet<string>;
  /** The tenants that may use it; null for every one. */
  readonly tenants: ReadonlySet<string> | null;
}

/** How a key stands in a request. */
export type KeyPlace = "bearer" | "basic" | { readonly header: string } | { readonly query: string };

/** A provider of which each subject has a key. */
export interface KeyConnector extends AnyConnector {
  readonly kind: "key";
  /** `basic` takes the key as `user:password`. */
  readonly as: KeyPlace;
}

/** A provider at which each subject signs in: OAuth 2, by a code. */
export interface OAuthConnector extends AnyConnector, Dialect {
  readonly kind: "oauth2";
  readonly clientId: string;
  /** The variable that has the client's secret. */
  readonly secret: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Where tokens are refreshed: at the token's address with most. */
  readonly refreshUrl: string;
  readonly revokeUrl: string | null;
  /** The `iss` that stands in each of its answers to a browser (RFC 9207); null if it says none, so that none is checked. */
  readonly issuer: string | null;
  /** Asked for where a link names none. */
  readonly scopes: readonly string[];
}

export type Connector = KeyConnector | OAuthConnector;

/** The connectors of a deployment, by name. */
export type Connectors = ReadonlyMap<string, Connector>;

/** How a client says who it is. With `secret` its secret alone does, as the user of Basic. */
export type ClientAuth = "body" | "basic" | "secret";

/** A part of addresses that depends on the account: `{site}` in them. */
export interface Site {
  /** The sites that a request may name. Their text cannot lead to another provider's host. */
  readonly pattern: RegExp;
  /** The same in words. */
  readonly inWords: string;
  /** The site where none is named; null where one has to be. */
  readonly fallback: string | null;
  /** The text that stands for a site in addresses, where that is another. */
  readonly texts?: Readonly<Record<string, string>>;
  /** It is a whole host. Only the operator names it, because the client's secret goes there. */
  readonly isOfOperator?: true;
  /** Where the answer with tokens has the origin whose host is the site from then on. */
  readonly at?: string;
}

/** The account in the address by which a person comes back. */
export interface CallbackAccount {
  /** The parameter that has its id. */
  readonly id: string;
  /** The only id that is right. */
  readonly expected?: string;
  /** The parameter that signs all others: HMAC-SHA-256 in hex, by the client's secret. */
  readonly signedBy?: string;
}

/** The part of a provider that is its own way of speaking OAuth 2. */
export interface Dialect {
  /** How the client says who it is at the token's address: with a code, and with a refresh token. */
  readonly clientAuth: { readonly code: ClientAuth; readonly refresh: ClientAuth };
  /** How a request to the token's address is written. */
  readonly body: "form" | "json";
  /** Further parameters of each request to it. */
  readonly tokenParameters: Readonly<Record<string, string>>;
  /** The header of its APIs in which a token stands, and the word before it; empty for none. */
  readonly tokenHeader: { readonly name: string; readonly scheme: string };
  /** Whether it takes a proof key (RFC 7636). One that does not would refuse the link. */
  readonly pkce: boolean;
  /** Further parameters of the address where a person signs in. */
  readonly authorize: Readonly<Record<string, string>>;
  readonly scopeParameter: string;
  readonly scopeSeparator: string;
  /** Written before a short scope, where a provider's scopes are addresses. */
  readonly scopePrefix: string;
  /** Asked for besides what is asked: for a refresh token, and to know whose account it is. */
  readonly alwaysScopes: readonly string[];
  /** Other names of scopes that it answers with, by those that it is asked with. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Scopes that include others. */
  readonly includes: Readonly<Record<string, readonly string[]>>;
  /** Where its answer with tokens has them, where that is not the whole. */
  readonly tokensAt: string;
  /** Where its answer with tokens, or the claims of its id token, say whose account it is; the first that is there. */
  readonly accountAt: readonly string[];
  /** Where they have the provider's id of the account: all of these together. */
  readonly accountIdAt: readonly string[];
  /** A request that says whose account a token is of, where the answer does not. */
  readonly accountRequest: {
    readonly method: "GET" | "POST";
    readonly url: string;
    /** Sent as JSON. */
    readonly body?: unknown;
    /** Where its answer has the id, where that is another place. */
    readonly idAt?: readonly string[];
  } | null;
  readonly callback: CallbackAccount | null;
  /** How a token is taken back. */
  readonly revoke: "rfc7009" | "bearer" | "delete" | "github" | "json";
  readonly site: Site | null;
  /** Headers of its own APIs, for requests that Volley makes itself. */
  readonly headers: Readonly<Record<string, string>>;
}

/** OAuth 2 as its specifications have it. */
export const STANDARD: Dialect = {
  clientAuth: { code: "body", refresh: "body" },
  body: "form",
  tokenParameters: {},
  tokenHeader: { name: "authorization", scheme: "Bearer" },
  pkce: true,
  authorize: {},
  scopeParameter: "scope",
  scopeSeparator: " ",
  scopePrefix: "",
  alwaysScopes: [],
  aliases: {},
  includes: {},
  tokensAt: "",
  accountAt: ["/email", "/preferred_username", "/sub"],
  accountIdAt: ["/sub"],
  accountRequest: null,
  callback: null,
  revoke: "rfc7009",
  site: null,
  headers: {},
};

/** Find a connector that a tenant may use. */
export function connectorOf(connectors: Connectors, name: string, tenant: string): Connector | undefined {
  const connector = connectors.get(name);
  return connector === undefined || connector.tenants?.has(tenant) === false ? undefined : connector;
}
