import { Vault } from "../../../cloudflare/platform/vault.ts";

/**
 * Seals what the endpoints of a tenant sign with, each secret for its own endpoint alone. Where the deployment has no key they are kept as
 * they are; those that were kept so before there was a key are read as they are, until they are sealed anew.
 */
export class SecretBox {
  readonly #vault: Vault;
  readonly #tenant: string;

  constructor(vault: Vault, tenant: string) {
    this.#vault = vault;
    this.#tenant = tenant;
  }

  async seal(endpoint: string, secret: string): Promise<string> {
    return this.#vault.canSeal ? this.#vault.seal(secret, [this.#tenant, endpoint, USE]) : secret;
  }

  /** Open a secret; null where no key does. */
  async open(endpoint: string, kept: string): Promise<string | null> {
    return Vault.isSealed(kept) ? this.#vault.open(kept, [this.#tenant, endpoint, USE]) : kept;
  }

  /** Whether a secret is kept as a new one would be. One that is sealed stays so where the key was taken out: it may come back. */
  isCurrent(kept: string): boolean {
    return !this.#vault.canSeal || this.#vault.isCurrent(kept);
  }
}

const USE = "endpoint";
