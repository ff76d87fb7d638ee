import * as LIMITS from "../../../../src/features/keys/limits.ts";
import {
  type KeptKey,
  type KeyOwner,
  type KeyRotation,
  shardOfName,
} from "../../../../src/features/keys/stored-key.ts";
import { createKeyShard } from "../../../../src/features/keys/objects/key-shard.ts";
import { createKeyShards, type KeyShardNamespace } from "../../../../src/features/keys/objects/key-shards.ts";
import { createMemoryObjects } from "../../../../src/package/testing/memory-objects.ts";
import { VirtualClock } from "../../../../src/package/testing/virtual-clock.ts";

export const ACME = { tenant: "acme", name: "ci" };

/** A digest whose object is this one. */
export const hashIn = (shard: number, n = 0): string =>
  `${shard.toString(16)}${n.toString(16).padStart(63, "0")}`;
export const home = (owner: KeyOwner = ACME): number => shardOfName(owner);
/** Another object than the one that keeps a name. */
export const elsewhere = (owner: KeyOwner = ACME): number => (home(owner) + 1) % LIMITS.keyShards;

export const keyOf = (hash: string, changes: Partial<KeptKey> = {}): KeptKey => ({
  ...ACME,
  tools: ["*"],
  quota: { limit: 120, windowS: 60 },
  flags: [],
  createdAt: 1_000,
  expiresAt: null,
  rotatedAt: null,
  digests: [{ hash, endsAt: null }],
  ...changes,
});

export const rotationOf = (hash: string, overlapMs = 5_000, seen = keyOf("")): KeyRotation => ({
  ...ACME,
  hash,
  overlapMs,
  seen,
});

/** The objects that keep keys, in memory and in virtual time, as they are deployed. */
export function openObjects(names = LIMITS.keysPerShard) {
  const clock = new VirtualClock(1_000_000);
  const namespace = createMemoryObjects(
    createKeyShard({ names }, clock),
    clock,
    () => ({}),
  ) as unknown as KeyShardNamespace;
  const shards = createKeyShards(namespace, { clock, timeoutMs: 5_000 });
  const shard = (of: number) => namespace.get(namespace.idFromName(`keys ${of}`));
  return { clock, namespace, shards, shard };
}
