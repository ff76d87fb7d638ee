import * as z from "zod/mini";

import { sliceRows } from "../../../feature/kit.ts";
import type { TenantPart } from "../../../feature/define.ts";
import { mayDo } from "../../../feature/caller.ts";
import { type KeptKey, type KeyPlace, keySchema, restoreKeys, toKeyJson, toText } from "../stored-key.ts";
import { madeKeysOf } from "./key-client.ts";

/** The keys that a tenant has made: exported with their digests for a caller that may manage them, and never a key. */
export const KEYS_OF_TENANT: TenantPart = {
  field: "keys",
  describeExport: (declared) =>
    z.array(
      z
        .extend(keySchema(declared), {
          hashes: z
            .array(z.strictObject({ hash: z.string(), ends_at: z.nullable(z.string()) }))
            .check(z.describe("Digests of its keys, the newest last")),
        })
        .register(z.globalRegistry, { id: "ExportedKey" }),
    ),
  async exportJson({ caller, configured, ports }, from) {
    const made = mayDo(caller, "manage_keys") ? madeKeysOf(configured).made : null;
    if (made === null) return null;
    const nowMs = ports.clock.now();
    const { shards } = made;
    return sliceRows((after: KeyPlace | null) => shards.list(caller.tenant, after, PAGE), from, {
      toText: (key) => toKeyText(key, nowMs),
      toPlace: ({ createdAt, name }) => ({ createdAt, name }),
    });
  },
  restore: restoreKeys,
  erased: "Names that keys were kept under; those of VOLLEY_KEYS are the operator's",
  async erase({ caller, configured }) {
    const { made } = madeKeysOf(configured);
    return made === null ? 0 : made.shards.forget(caller.tenant);
  },
};

/** Keys of one page: a few hundred bytes each, from every object. */
const PAGE = 500;

function toKeyText(key: KeptKey, nowMs: number): string {
  const alive = key.digests.filter(({ endsAt }) => endsAt === null || endsAt > nowMs);
  const hashes = alive.map(({ hash, endsAt }) => ({
    hash,
    ends_at: endsAt === null ? null : toText(endsAt),
  }));
  return JSON.stringify({ ...toKeyJson(key, nowMs), hashes });
}
