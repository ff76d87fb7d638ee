import type { RowOf } from "../matrix.ts";

export const row: RowOf<"portal"> = {
  operator: {
    apart: "a link shows its own customer's part of one tenant; the overview asks for a key's flag",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  "export and restore": {
    risk: "a link reads the tenant's export",
    test: "test/features/endpoints/http/portal.test.ts",
    title: '"/v1/export",',
    tries: ["T54"],
  },
  deletion: {
    risk: "a link that was on its way is kept of a tenant that is gone",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '["POST /v1/portal_links", { customer: "c_1" }]',
    tries: ["F37"],
  },
  "vault rotation": {
    risk: "a secret that a customer rotates while all are sealed anew is lost",
    test: "test/features/endpoints/http/secrets.test.ts",
    title: "goes on where it stopped, and leaves alone what is rotated or deleted meanwhile",
    tries: [],
  },
};
