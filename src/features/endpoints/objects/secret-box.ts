import { Vault } from "../../../feature/define.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import * as LIMITS from "../limits.ts";
import type { EndpointTable } from "./endpoint-table.ts";
import type { ResealedSecrets } from "../endpoint-shard-methods.ts";

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

type Box = Pick<SecretBox, "seal" | "open" | "isCurrent">;

/** Seal the secrets of one object's endpoints under the key that seals now, a bounded number of them. */
export async function resealSecrets(
  { endpoints }: { readonly endpoints: Pick<EndpointTable, "values" | "byNo" | "write"> },
  box: Box,
  nowMs: number,
): Promise<ResealedSecrets> {
  const counts = { sealed: 0, unreadable: 0 };
  for (const known of endpoints.values()) {
    const good = known.secrets.filter(({ endsAt }) => endsAt === null || endsAt > nowMs);
    if (good.every(({ secret }) => box.isCurrent(secret))) continue;
    if (counts.sealed >= LIMITS.endpointsResealed) return { ...counts, more: true };
    const secrets = await sealAll({ id: known.id, secrets: good }, box);
    if (secrets === null) counts.unreadable += 1;
    const latest = endpoints.byNo(known.no);
    // Rotated or deleted meanwhile: what is there now is sealed already, or gone.
    if (secrets === null || latest?.secrets !== known.secrets) continue;
    endpoints.write({ ...latest, secrets });
    counts.sealed += 1;
  }
  return { ...counts, more: false };
}

/** Null where one of them cannot be opened. */
async function sealAll(
  { id, secrets }: Pick<KeptEndpoint, "id" | "secrets">,
  box: Box,
): Promise<KeptEndpoint["secrets"] | null> {
  const sealed: KeptEndpoint["secrets"][number][] = [];
  for (const one of secrets) {
    const opened = await box.open(id, one.secret);
    if (opened === null) return null;
    sealed.push({ ...one, secret: await box.seal(id, opened) });
  }
  return sealed;
}
