import * as LIMITS from "../limits.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import type { ResealedSecrets } from "../shard-methods.ts";
import type { EndpointTable } from "./endpoint-table.ts";
import type { SecretBox } from "./secret-box.ts";

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
