import { type Feature, partOf } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { makeDeletion } from "./http/delete-tenant.ts";
import { makeExport } from "./http/export.ts";

/** A tenant's data as a whole: `GET /v1/export`, and `POST /v1/tenant/delete`. Both include the data that other listed features keep. */
export function tenantData(): Feature {
  return {
    name: "tenant-data",
    router(features) {
      const parts = features.flatMap(({ tenantPart }) => tenantPart ?? []);
      return [
        routerOf("any key", [makeExport(parts, partOf(features, "keptTools"))]),
        routerOf(["manage_keys", "manage_tools"], [makeDeletion(parts)]),
      ];
    },
  };
}
