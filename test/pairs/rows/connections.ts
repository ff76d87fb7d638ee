import type { RowOf } from "../matrix.ts";

export const row: RowOf<"connections"> = {
  park: {
    risk: "what waited needs a yes besides, or runs the rest of its batch again",
    test: "test/features/connections/http/park.test.ts",
    title: "runs it from stored results once the account is connected, with nobody's yes",
    tries: ["T52"],
  },
  "made keys": {
    risk: "a key that is made for one person connects or uses accounts of others",
    test: "test/features/connections/http/accounts.test.ts",
    title: "may be given its own accounts' right, and runs for no other subject",
    tries: ["T52", "T58"],
  },
  runs: {
    risk: "a run keeps the link by which a person connects an account",
    test: "test/features/runs/http/connect-links.test.ts",
    title: "T52 The link by which a person connects an account is in the answer alone: of %s no run keeps it",
    tries: ["T52"],
  },
  rerun: {
    risk: "a rerun uses an account that took the place of the run's",
    test: "test/features/runs/http/rerun-of-subject.test.ts",
    title: "is not used by a rerun: that action is CONNECTION_REQUIRED, and sends nothing",
    tries: ["T57"],
    also: {
      F10: "a runtime that is killed while two features write",
      F32: "a runtime that is killed while two features write",
    },
  },
  undo: {
    risk: "a write is taken back under another account, because its own is gone",
    test: "test/features/undo/http/undo-accounts.test.ts",
    title: "a write whose account is gone stands, and its entry says which account is missing",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a tenant is told of an account that another person came with",
    test: "test/features/connections/http/own-events.test.ts",
    title: "is told of no connection that another subject came with",
    tries: ["T52"],
    also: { F33: "killed right after an account was connected" },
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no account",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a key without the flag seals the accounts of all tenants anew",
    test: "test/features/rights.test.ts",
    title: '"POST /v1/connections/reseal": ["operator"]',
    tries: ["T02"],
  },
  "export and restore": {
    risk: "an export has a token of an account",
    test: "test/features/connections/http/links.test.ts",
    title: "T16 have no token in any answer",
    tries: ["P7", "T16"],
  },
  deletion: {
    risk: "an account that was on its way is kept of a tenant that is gone",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '["POST /v1/connections", { connector: "crm", subject: "ada", secret: "s" }]',
    tries: ["F37"],
  },
  "vault rotation": {
    risk: "accounts cannot be used while the key is changed, or afterwards",
    test: "test/harness/connections-crash.test.ts",
    title:
      "is changed by two keys, a rotation and a restart without the old one: accounts are usable all the way",
    tries: [],
  },
};
