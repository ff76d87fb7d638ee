import { defineFeature, partOf } from "../../feature/define.ts";
import { makeDeletion } from "./http/delete-tenant.ts";
import { makeExport } from "./http/export.ts";

/** A tenant's data as a whole: `GET /v1/export`, and `POST /v1/tenant/delete`. Both include the data that other listed features keep. */
export function tenantData() {
  return defineFeature({
    name: "tenant-data",
    routes(features) {
      const parts = features.flatMap(({ tenantPart }) => tenantPart ?? []);
      return [
        { for: "any key", paths: [makeExport(parts, partOf(features, "toolSource"))] },
        { for: ["manage_keys", "manage_tools"], paths: [makeDeletion(parts)] },
      ];
    },
  });
}
