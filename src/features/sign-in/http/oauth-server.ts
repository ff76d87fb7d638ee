import type { OAuthAuthorizationServer, OAuthHelpers } from "@cloudflare/workers-oauth-provider";

import * as LIMITS from "../limits.ts";
import { attemptNow, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Configured } from "../../../feature/define.ts";
import type { Caller } from "../../../feature/caller.ts";
import { isDocumentId, parseClientDocument } from "../client-document.ts";
import { TOLD_SCOPES } from "../sign-in-scopes.ts";
import type { SignedKey } from "../sign-in.ts";
import { fetchJson } from "./fetch-json.ts";
import type { SignInStores } from "../objects/sign-in-stores.ts";
import { library, OauthKv } from "./oauth-kv.ts";

/** The document that describes a client cannot be had, or describes none that can be let in. */
export class ClientDocumentError extends Error {}

interface OauthServerParts {
  readonly configured: Configured;
  readonly stores: SignInStores;
  /** The key that a sign-in is of, as it is now; null where it has ended. */
  readonly keyOf: (signed: SignedKey) => Promise<Result<Caller | null, Refusal>>;
}

/** Host names that one isolate answers for; more are made anew for each request. */
const ORIGINS = 16;

/** The OAuth library over our objects: one server for each origin that the deployment is reached at. */
export class OauthServer {
  readonly #parts: OauthServerParts;
  readonly #servers = new Map<string, OAuthAuthorizationServer<object>>();

  constructor(parts: OauthServerParts) {
    this.#parts = parts;
  }

  /** Answer a request for the metadata, a token, a revocation or, as a client that registers itself, a registration. */
  fetch(request: Request, ctx: ExecutionContext, isRegistration = false): Promise<Response> {
    const { origin } = new URL(request.url);
    return this.#at(origin).fetch(request, this.#env(isRegistration), ctx);
  }

  /** The steps of the pages at an origin. */
  helpersAt(origin: string): OAuthHelpers {
    return this.#at(origin).getOAuthApi(this.#env(false));
  }

  /** Look a token up; null if it is not one of this resource. Rejects where its object does not answer. */
  validate(token: string, { resource, origin }: { readonly resource: string; readonly origin: string }) {
    return this.#at(origin).validateToken(resource, token, this.#env(false));
  }

  #env(isRegistration: boolean): object {
    const { stores, configured } = this.#parts;
    const { clock } = configured.ports;
    const findClient = (clientId: string): Promise<object> => this.#findDocument(clientId);
    const newClient = isRegistration ? { newClientS: LIMITS.unusedClientS } : {};
    return { OAUTH_KV: new OauthKv(stores, { clock, findClient, ...newClient }) };
  }

  #at(origin: string): OAuthAuthorizationServer<object> {
    const known = this.#servers.get(origin);
    if (known !== undefined) return known;
    const server = new library.OAuthAuthorizationServer<object>({
      issuer: origin,
      resources: [`${origin}/mcp`],
      clientRegistrationEndpoint: "/oauth/register",
      scopesSupported: [...TOLD_SCOPES],
      // An app's own scheme (RFC 8252, 7.1), where the client lists it; the page says that an app is opened.
      allowPrivateUseRedirectUris: true,
      accessTokenTTL: LIMITS.signInTokenS,
      refreshTokenTTL: LIMITS.signInIdleS,
      refreshTokenIdleTTL: LIMITS.signInIdleS,
      clientRegistrationTTL: LIMITS.usedClientS,
      // A code or a refresh token is worth nothing when the key has ended.
      tokenExchangeCallback: async ({ props }) => {
        const found = await this.#parts.keyOf(props as SignedKey);
        if (!found.ok) throw new library.OAuthError("temporarily_unavailable", UNREACHABLE);
        if (found.value === null)
          throw new library.OAuthError("invalid_grant", { description: "The key has ended" });
      },
      onError: () => {},
    });
    if (this.#servers.size < ORIGINS) this.#servers.set(origin, server);
    return server;
  }

  /** Find the client that a document describes. It is fetched here, where its address is guarded, and not by the library. */
  async #findDocument(clientId: string): Promise<object> {
    const { stores, configured } = this.#parts;
    const key = `client:${clientId}`;
    const kept = await stores.read(key);
    if (kept !== null) return JSON.parse(kept.value) as object;
    const fetched = await fetchJson(clientId, configured, { maxBytes: LIMITS.clientDocumentBytes });
    const client = fetched.ok ? parseClientDocument(clientId, fetched.value) : fetched;
    if (!client.ok) throw new ClientDocumentError(client.error);
    await stores.write(key, JSON.stringify(client.value), {
      metadata: null,
      expiresAtMs: configured.ports.clock.now() + 1_000 * LIMITS.clientDocumentS,
      expected: null,
      unused: true,
    });
    return client.value;
  }
}

const UNREACHABLE = {
  description: "Whether the key is still one could not be looked up",
  statusCode: 503,
  headers: { "Retry-After": "1" },
};

/** The host that vouches for a client's name: that of its document. Null for a client that registered itself. */
export function voucherOf(clientId: string): string | null {
  const url = isDocumentId(clientId) ? attemptNow(() => new URL(clientId)) : null;
  return url?.ok === true ? url.value.host : null;
}

/** Read a resource that is named with a slash at its end as the one without: clients write the address as they were given it. */
export function withoutSlash(parameters: URLSearchParams, origin: string): URLSearchParams {
  const named = parameters.getAll("resource");
  const read = new URLSearchParams(parameters);
  read.delete("resource");
  for (const one of named) read.append("resource", one === `${origin}/mcp/` ? `${origin}/mcp` : one);
  return read;
}
