import type * as Library from "@cloudflare/workers-oauth-provider";

import type { Clock } from "../../../feature/kit.ts";
import type { SignInStores } from "../objects/sign-in-stores.ts";
import { isDocumentId } from "../client-document.ts";

/** The OAuth library, once it is loaded: plain Node lacks a module of the platform that it asks for, so no program signs in there. */
export const library = {} as typeof Library;

/** Load the library. Every way to it passes here first. */
export async function loadLibrary(): Promise<void> {
  if (!("OAuthError" in library)) Object.assign(library, await import("@cloudflare/workers-oauth-provider"));
}

interface PutOptions {
  readonly expiration?: number;
  readonly expirationTtl?: number;
  readonly metadata?: unknown;
}

interface ListQuery {
  readonly prefix: string;
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

export interface KvOptions {
  readonly clock: Clock;
  /** Find the record of a client whose id is the address of its document; null where there is none. */
  readonly findClient: (clientId: string) => Promise<object | null>;
  /** Clients that are written register themselves: they are kept for so long only, unless they are let in. */
  readonly newClientS?: number;
}

/** There are as many sign-ins of the key as may be. */
export class FullError extends Error {}

/**
 * Give the OAuth library our objects in the shape of a KV namespace, for one request.
 *
 * Unlike KV they read their own writes, and what a request writes is written only if the record is still what the request has read: of two
 * that redeem one code or one refresh token at once, one is refused. A form that is sent twice at once is used once for the same reason.
 */
export class OauthKv {
  readonly #stores: SignInStores;
  readonly #options: KvOptions;
  readonly #begunAt: number;
  /** Versions as they were read. */
  readonly #seen = new Map<string, number>();

  constructor(stores: SignInStores, options: KvOptions) {
    this.#stores = stores;
    this.#options = options;
    this.#begunAt = options.clock.now();
  }

  async get(key: string, options?: { readonly type: "json" }): Promise<unknown> {
    const clientId = key.startsWith("client:") ? key.slice("client:".length) : "";
    if (isDocumentId(clientId)) return this.#options.findClient(clientId);
    const kept = await this.#stores.read(key);
    this.#seen.set(key, kept?.version ?? 0);
    if (kept === null) return null;
    return options === undefined ? kept.value : JSON.parse(kept.value);
  }

  async put(key: string, value: string, options: PutOptions = {}): Promise<void> {
    const { clock, newClientS } = this.#options;
    const { expiration, expirationTtl, metadata } = options;
    const ttlS = key.startsWith("client:") ? (newClientS ?? expirationTtl) : expirationTtl;
    const untilS = ttlS === undefined ? expiration : clock.now() / 1_000 + ttlS;
    const written = await this.#stores.write(key, value, {
      begunAt: this.#begunAt,
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      expiresAtMs: untilS === undefined ? null : Math.ceil(1_000 * untilS),
      expected: this.#seen.get(key) ?? null,
      unused: newClientS !== undefined,
    });
    if (written === "full") throw new FullError();
    if (written === "conflict") throw new library.OAuthError("temporarily_unavailable", BUSY);
    this.#seen.delete(key);
  }

  async delete(key: string): Promise<void> {
    const isThere = await this.#stores.drop(key);
    if (!isThere && key.startsWith("transaction:") && this.#seen.get(key) !== undefined)
      throw new library.OAuthError("invalid_request", { description: "The form was sent already" });
  }

  async list({ prefix, limit = 1_000, cursor }: ListQuery) {
    const keys = await this.#stores.list(prefix, { after: cursor ?? null, limit: limit + 1 });
    const page = keys.slice(0, limit).map(({ name, metadata, expiresAtMs }) => ({
      name,
      ...(metadata !== null && { metadata: JSON.parse(metadata) as unknown }),
      ...(expiresAtMs !== null && { expiration: Math.floor(expiresAtMs / 1_000) }),
    }));
    return keys.length > limit
      ? { keys: page, list_complete: false, cursor: page.at(-1)!.name }
      : { keys: page, list_complete: true };
  }
}

const BUSY = {
  description: "Another request used the same code or refresh token at the same time",
  statusCode: 503,
  headers: { "Retry-After": "1" },
};
