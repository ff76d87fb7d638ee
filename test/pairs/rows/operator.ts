import type { RowOf } from "../matrix.ts";

export const row: RowOf<"operator"> = {
  "export and restore": {
    risk: "a tenant's export has the counts of another",
    test: "test/features/operator/http/operator.test.ts",
    title: "is in no overview and no export any more, and others are",
    tries: ["T03"],
  },
  deletion: {
    risk: "a report that is late counts for a tenant that is gone",
    test: "test/cloudflare/operator-log.test.ts",
    title:
      "F37 counts nothing that began before its tenant was deleted, however long it goes on, after a restart too",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "the flag lets who operates seal all tenants' secrets anew; it opens none, and counts keep none",
    file: "src/cloudflare/routes/make-reseal.ts",
    line: "for (const reseal of partsOf(owner, configured)) {",
  },
};
