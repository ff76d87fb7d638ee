import type { RowOf } from "../matrix.ts";

export const row: RowOf<"agent"> = {
  turns: {
    risk: "the same call of a model is read otherwise in a conversation than in a turn that a caller sends",
    test: "test/turns/turn-table.test.ts",
    title: "T66 A turn that a caller sends has the same done with",
    tries: ["T66"],
  },
  MCP: {
    apart: "a request's key is its door's: what was kept for a call of MCP answers no conversation",
    file: "src/features/mcp/http/answer-tool-call.ts",
    line: '...keyed(["/mcp", name, args]),',
  },
  tasks: {
    risk: "a question of a conversation is polled as a task of its own",
    test: "test/features/mcp/http/tasks.test.ts",
    title: "nobody in the place of a question of the agent",
    tries: [],
  },
  "sign-in": {
    risk: "a program's token begins a conversation, at the cost of its key",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  subjects: {
    risk: "a conversation uses another person's account",
    test: "test/features/connections/http/doors.test.ts",
    title: '"an agent\'s request":',
    tries: ["T52"],
  },
  connections: {
    risk: "a conversation runs what was planned with another account",
    test: "test/features/connections/http/plan-receipts.test.ts",
    title: "a round of a conversation, as the plan was shown there",
    tries: ["T57"],
  },
  park: {
    risk: "a model's call that misses an account ends the conversation for good",
    test: "test/features/connections/http/park-doors.test.ts",
    title: "holds for the calls of a model at an agent door, where `volley` says it",
    tries: [],
  },
  "made keys": {
    risk: "a model calls what its made key may not, or goes on when that is revoked",
    test: "test/pairs/model-doors.test.ts",
    title: "T01 T02 by a made key calls what that key may alone, and nothing once that is revoked",
    tries: ["T01", "T02"],
  },
  runs: {
    risk: "each round is a run of its own, and none says what the model was asked",
    test: "test/features/runs/http/runs.test.ts",
    title: "agent: a request is one run, whose rounds are the answers of the model",
    tries: [],
  },
  rerun: {
    risk: "a rerun repeats the calls of a model that would call others by now",
    test: "test/pairs/model-doors.test.ts",
    title: "A conversation's run is not run again by itself: 422, and nothing is sent",
    tries: [],
  },
  undo: {
    risk: "a model is not told that its write was taken back, and does not repeat it",
    test: "test/features/undo/http/undo-agent.test.ts",
    title: "and the message of each call that was undone says 'taken back",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a conversation that comes again publishes its event a second time",
    test: "test/pairs/model-doors.test.ts",
    title: "publishes its event once where it comes again under its key",
    tries: ["T42"],
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no model",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "each round of a conversation counts as a run",
    test: "test/pairs/model-doors.test.ts",
    title: "is one run of its tenant in the overview of who operates",
    tries: [],
  },
  "export and restore": {
    apart:
      "kept turns are results that end after minutes; an export asks the parts of features, which have no results",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a conversation goes on when its tenant is gone, and keeps what it says",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '["a conversation", {',
    tries: ["F37"],
  },
  "vault rotation": {
    apart:
      "a model's key is the deployment's own variable; what is sealed has an owner and a use, and no conversation is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
