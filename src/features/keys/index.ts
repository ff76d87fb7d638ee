import { defineFeature } from "../../feature/define.ts";
import { createKeyShard } from "./objects/key-shard.ts";
import { KEY_ENDPOINTS } from "./http/routes.ts";
import { openMadeKeys } from "./http/key-client.ts";
import { KEYS_OF_TENANT } from "./http/export-keys.ts";

/** Keys are made, rotated and revoked while the Worker runs. They are kept in objects of the class `KeyShard`, bound as `KEYS`. */
export function keys() {
  return defineFeature({
    name: "keys",
    flags: { manage_keys: "Can make and revoke keys" },
    routes: [{ for: ["manage_keys"], paths: KEY_ENDPOINTS }],
    openCallers: openMadeKeys,
    tenantPart: KEYS_OF_TENANT,
    objects: {
      KeyShard: { binding: "KEYS", create: ({ clock }) => createKeyShard(undefined, clock) },
    },
  });
}
