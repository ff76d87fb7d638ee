import type { RowOf } from "../matrix.ts";

export const row: RowOf<"park"> = {
  "made keys": {
    risk: "what a key asked is lost when that is revoked, or runs as somebody else's",
    test: "test/pairs/park.test.ts",
    title:
      "what a made key asked runs for its subject still when that key was revoked, as a recorded job does, and says whose it was",
    tries: ["T52"],
  },
  runs: {
    risk: "what ran when the account was there stands in no run",
    test: "test/features/connections/http/park-doors.test.ts",
    title: "has what misses an account wait, and runs it from stored results once the account is connected",
    tries: [],
  },
  rerun: {
    risk: "a rerun of what waits asks a second time, and runs it twice",
    test: "test/pairs/park.test.ts",
    title:
      "a rerun of what waits for an account waits with it: one question, one call, and the answer of that",
    tries: ["T56"],
  },
  undo: {
    risk: "a batch that waits for an account is undone, or is not where what waited fails",
    test: "test/features/undo/http/undo-accounts.test.ts",
    title: "leaves the batch as it is until somebody connects it, and then too where the action succeeds",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a tenant's endpoint is told the link by which a person connects an account",
    test: "test/pairs/park.test.ts",
    title: "T50 an endpoint that is told of what waits for an account is not told the link of its subject",
    tries: ["T50", "T52"],
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and nothing that waits",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "what waits for an account is not counted, or for ever",
    test: "test/pairs/park.test.ts",
    title: "counts as a question that waits in the overview of who operates until the account is connected",
    tries: [],
  },
  "export and restore": {
    risk: "an export has the link of what waits, or brings it back to run a second time",
    test: "test/pairs/park.test.ts",
    title:
      "an export has nothing of what waits for an account but its run: no link, and no stored result comes back to run",
    tries: ["T52"],
  },
  deletion: {
    risk: "an account that is connected later runs what a tenant that is gone had asked",
    test: "test/pairs/park.test.ts",
    title: "what waits for an account runs nothing any more once its tenant was deleted",
    tries: ["F37"],
  },
  "vault rotation": {
    apart:
      "stored results have every secret taken out; what is sealed has an owner and a use, and nothing that waits is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
