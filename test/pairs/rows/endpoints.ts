import type { RowOf } from "../matrix.ts";

export const row: RowOf<"endpoints"> = {
  portal: {
    risk: "a link reaches another customer's endpoints",
    test: "test/features/endpoints/http/portal.test.ts",
    title: "T54 reaches no other customer's endpoints and deliveries, whatever it names, and no other path",
    tries: ["T54"],
    also: { T40: "shows a name that is markup", T59: "are 50 of its customer" },
  },
  operator: {
    risk: "a key without the flag seals the secrets of all tenants anew",
    test: "test/features/rights.test.ts",
    title: '"POST /v1/endpoints/reseal": ["operator"]',
    tries: ["T02"],
  },
  "export and restore": {
    risk: "an endpoint that was put back signs with an unknown secret, and the restore does not say so",
    test: "test/features/tenant-data/http/restore.test.ts",
    title:
      "F39 An export that is put back where nothing is gives the same export, of every kind; what is lost is named",
    tries: ["F39"],
  },
  deletion: {
    risk: "an event is delivered for a tenant that is gone",
    test: "test/features/endpoints/http/deliveries.test.ts",
    title: "T03 that is deleted leaves nothing: no endpoint, event or delivery",
    tries: ["T03"],
    also: { F10: "a runtime that is killed while two features write" },
  },
  "vault rotation": {
    risk: "an endpoint signs with another secret when the key was changed",
    test: "test/features/endpoints/http/secrets.test.ts",
    title:
      "seals what was kept before there was a key, and what is under another one, and counts what no key opens",
    tries: ["T23"],
  },
};
