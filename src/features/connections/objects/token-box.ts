import type { Vault } from "../../../feature/define.ts";
import type { Connection } from "../connection.ts";

/** The tokens of a connection, as they are sealed: a key has no refresh token. */
export interface KeptTokens {
  readonly access: string;
  readonly refresh: string | null;
}

/** Seals and opens the tokens of a tenant's connections, each for its own connection alone. */
export class TokenBox {
  readonly vault: Vault;
  readonly #tenant: string;

  constructor(vault: Vault, tenant: string) {
    this.vault = vault;
    this.#tenant = tenant;
  }

  seal(
    { subject, id }: Pick<Connection, "subject" | "id">,
    { access, refresh }: KeptTokens,
  ): Promise<string> {
    return this.vault.seal(JSON.stringify({ access, refresh }), [this.#tenant, subject, id, "tokens"]);
  }

  /** Null where no key opens them. */
  async open(
    { subject, id }: Pick<Connection, "subject" | "id">,
    sealed: string,
  ): Promise<KeptTokens | null> {
    const text = await this.vault.open(sealed, [this.#tenant, subject, id, "tokens"]);
    return text === null ? null : (JSON.parse(text) as KeptTokens);
  }
}
