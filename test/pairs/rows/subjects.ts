import type { RowOf } from "../matrix.ts";

export const row: RowOf<"subjects"> = {
  connections: {
    risk: "one person's batch uses another's account",
    test: "test/features/connections/http/accounts.test.ts",
    title: "uses that subject's accounts, and each batch its own",
    tries: ["T52"],
  },
  park: {
    risk: "what waits for one person's account runs when another connects theirs",
    test: "test/features/connections/http/park-doors.test.ts",
    title: "leaves what waits for another account of the subject, by its name, alone",
    tries: ["T57"],
  },
  "made keys": {
    risk: "a key that is made for one person acts for another",
    test: "test/features/keys/http/made-keys.test.ts",
    title:
      "T02 acts for the subject of its record, signs with its maker's secret, and stays where its tenant is kept",
    tries: ["T02", "T52"],
  },
  runs: {
    risk: "one person's key sees what runs for another",
    test: "test/features/runs/http/running-runs.test.ts",
    title: "has nothing of another subject for a key that acts for one",
    tries: ["T52"],
  },
  rerun: {
    risk: "a rerun uses the account of who asks for it",
    test: "test/features/runs/http/rerun-of-subject.test.ts",
    title:
      "uses the account that the run used, however often it is run again; its name is kept, and never a token",
    tries: ["T52"],
  },
  undo: {
    risk: "a write is taken back under another account than it was made with",
    test: "test/features/undo/http/undo-accounts.test.ts",
    title: "a write is taken back under the account that it used, whichever key asks",
    tries: ["P9", "T52"],
  },
  endpoints: {
    risk: "an id that is a person's and one that is a customer's are held to different forms",
    test: "test/features/connections/http/foreign-ids.test.ts",
    title: "as a customer: of endpoints, events and portal links",
    tries: ["T65"],
  },
  portal: {
    apart: "a link's customer is no subject: its requests name none, and use no account",
    file: "src/features/endpoints/http/portal.ts",
    line: 'const context = deployment.contextOf({ ...runner, name: "portal:" }, { requestId, defer });',
  },
  operator: {
    apart: "counts have a tenant and its tools, and no person",
    file: "src/features/operator/operator.ts",
    line: "export type TenantRow = readonly [",
  },
  "export and restore": {
    risk: "one person's key reads the others' data in an export",
    test: "test/features/tenant-data/http/strangers.test.ts",
    title: "nothing of somebody else is among many: %s",
    tries: ["T02", "T52"],
  },
  deletion: {
    risk: "one person's key deletes the tenant",
    test: "test/features/tenant-data/http/strangers.test.ts",
    title: "all of that leaves what there is as it was",
    tries: ["T02"],
  },
  "vault rotation": {
    risk: "a token that was sealed for one person is opened as another's",
    test: "test/features/connections/http/vault.test.ts",
    title: "T52 opens it for its own tenant, subject, connection and use alone",
    tries: ["T52"],
  },
};
