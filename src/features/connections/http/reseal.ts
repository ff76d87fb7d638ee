import { makeReseal, type ResealedPart } from "../../../cloudflare/routes/make-reseal.ts";
import { SUBJECT_SHARDS } from "../../../core/contract/gate/caller.ts";
import { openShards, type Shards } from "../objects/connection-shards.ts";
import type { Resealed } from "../shard-methods.ts";

/** `POST /v1/connections/reseal`: seal the tokens of every tenant under the first of two keys, so that the other can be taken out. */
export const resealConnections = /* @__PURE__ */ makeReseal({
  route: "POST /v1/connections/reseal",
  id: "resealConnections",
  schemaId: "ResealedConnections",
  tag: "Connections",
  summary: "Seal the tokens of all connections under the vault's first key",
  sealed: "Connections whose tokens are now under the first key",
  unreadable: "Those that no key opens: their subjects connect them anew",
  partsOf(owner, configured) {
    const shards = openShards(owner, configured);
    if (!shards.ok) return [];
    return Array.from({ length: SUBJECT_SHARDS }, (_, shard) => () => resealShard(shards.value, shard));
  },
});

async function resealShard(shards: Shards, shard: number): Promise<ResealedPart> {
  let [sealed, unreadable] = [0, 0];
  for (let after: string | null = null; ;) {
    const from: string | null = after;
    const page: Resealed = await shards(shard).reseal(from);
    sealed += page.sealed;
    unreadable += page.unreadable;
    if (page.next === null) return { sealed, unreadable, more: false };
    after = page.next;
  }
}
