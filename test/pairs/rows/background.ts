import type { RowOf } from "../matrix.ts";

export const row: RowOf<"background"> = {
  agent: {
    risk: "a batch in the background skips a question that its model may not",
    test: "test/features/agent/http/background-rounds.test.ts",
    title:
      "A batch in the background of a round skips its question where the request says so, with a key that may",
    tries: ["T50"],
  },
  turns: {
    risk: "a turn that comes again begins its batch in the background a second time",
    test: "test/pairs/again.test.ts",
    title:
      "a provider's turn that is a batch in the background is recorded once for its key, and is found by what its reply says",
    tries: ["P5"],
  },
  MCP: {
    risk: "a client that cannot poll is offered batches in the background, and never hears of them",
    test: "test/features/mcp/http/tasks.test.ts",
    title: "has a client offered batches in the background, on the surface %s, and no other client",
    tries: [],
  },
  tasks: {
    risk: "a batch in the background ends, and its task does not",
    test: "test/features/mcp/http/tasks.test.ts",
    title: "gets a batch in the background as a task, and its envelope once it is over",
    tries: [],
  },
  "sign-in": {
    risk: "a token that has ended elsewhere records a batch that goes on",
    test: "test/features/mcp/http/ended-caller.test.ts",
    title:
      "T51 a token that has ended elsewhere writes nothing, and records no job: 401 before anything runs",
    tries: ["T51"],
  },
  subjects: {
    risk: "a later turn of a batch uses another person's account",
    test: "test/features/connections/http/doors.test.ts",
    title: '"a batch in the background":',
    tries: ["T52"],
  },
  connections: {
    risk: "a batch begins with another account than the one that was agreed to",
    test: "test/features/connections/http/plan-receipts.test.ts",
    title: "a batch in the background, when it is sent and when it begins",
    tries: ["T57"],
  },
  park: {
    risk: "a batch that misses an account ends, or runs what it had done again",
    test: "test/features/connections/http/park-doors.test.ts",
    title: "has what misses an account wait, and runs it from stored results once the account is connected",
    tries: ["P1"],
  },
  "made keys": {
    risk: "a batch ends with the key that began it, or goes on with more rights",
    test: "test/pairs/again.test.ts",
    title:
      "T02 what a made key began in the background goes on with the rights that it had when it is revoked, and with no more",
    tries: ["T02"],
  },
  runs: {
    risk: "the run of a cancelled batch says otherwise than its results",
    test: "test/features/background/http/attempt-batch.test.ts",
    title: "F38 says the same as a run and by its results wherever it is cancelled, in a turn or between two",
    tries: ["F38"],
  },
  rerun: {
    risk: "a rerun sends the elements of a loop again that happened",
    test: "test/features/runs/http/job-reruns.test.ts",
    title: "sends of a loop the elements alone that did not happen, each by the key of its first attempt",
    tries: ["T56"],
  },
  undo: {
    risk: "a batch in the background that fails leaves what it wrote",
    test: "test/features/undo/http/undo-doors.test.ts",
    title: "one that fails is undone",
    tries: ["P9"],
    also: { F40: "eight batches in the background that are killed in their middle" },
  },
  endpoints: {
    risk: "a batch that goes on is told as a run that failed",
    test: "test/pairs/turns-in-background.test.ts",
    title:
      "a tenant's endpoint is told of no batch in the background that goes on, and once of one that failed",
    tries: [],
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no batch",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "each turn of a batch counts as a run that failed",
    test: "test/pairs/turns-in-background.test.ts",
    title:
      "a batch in the background is one run for who operates, however many turns it takes, and no error while it goes on",
    tries: [],
  },
  "export and restore": {
    risk: "a batch of several turns comes back from an export as several runs, or as an unfinished one",
    test: "test/pairs/again.test.ts",
    title:
      "the run of a batch in the background is in an export once, as its last turn has left it, and comes back so",
    tries: ["F39"],
  },
  deletion: {
    risk: "a batch goes on when its tenant is gone, and leaves its rows",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '"a batch in the background",',
    tries: ["F37"],
  },
  "vault rotation": {
    apart:
      "a batch keeps results with every secret taken out; what is sealed has an owner and a use, and no batch is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
