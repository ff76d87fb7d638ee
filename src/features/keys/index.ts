import { createKeyShard } from "./objects/key-shard.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { KEY_ENDPOINTS } from "./http/endpoints.ts";
import { keyDeskOf } from "./http/key-desk.ts";
import { KEYS_OF_TENANT } from "./http/tenant-part.ts";

/** Keys are made, rotated and revoked while the Worker runs. They are kept in objects of the class `KeyShard`, bound as `KEYS`. */
export function keys(): Feature<{ readonly KeyShard: ReturnType<typeof createKeyShard> }> {
  return {
    name: "keys",
    flags: { manage_keys: "May make and revoke keys" },
    router: routerOf(["manage_keys"], KEY_ENDPOINTS),
    openCallers: keyDeskOf,
    tenantPart: KEYS_OF_TENANT,
    objects: {
      KeyShard: { binding: "KEYS", migration: "v9", create: ({ clock }) => createKeyShard(undefined, clock) },
    },
    load: () => import("./http/made-keys.ts"),
  };
}
