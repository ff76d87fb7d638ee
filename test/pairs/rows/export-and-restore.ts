import type { RowOf } from "../matrix.ts";

export const row: RowOf<"export and restore"> = {
  deletion: {
    risk: "what was deleted does not come back as it was",
    test: "test/features/tenant-data/http/restore.test.ts",
    title:
      "F39 An export that is put back where nothing is gives the same export, of every kind; what is lost is named",
    tries: ["F39"],
  },
  "vault rotation": {
    apart:
      "an export has no sealed text: endpoints are exported without their secrets, and those that come back have new ones",
    file: "src/features/endpoints/http/export-endpoints.ts",
    line: "const texts = endpoints.map((one) => JSON.stringify(toEndpointJson(one)));",
  },
};
