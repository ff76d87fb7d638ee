import type { RowOf } from "../matrix.ts";

export const row: RowOf<"added tools"> = {
  flows: {
    risk: "a flow that was kept as a read writes, because a tool of it was declared otherwise since",
    test: "test/features/flows/run/run-flow.test.ts",
    title: "is broken where a tool of it does more by now than the flow was kept for: nothing of it runs",
    tries: ["T57"],
  },
  hooks: {
    risk: "a delivery's run hangs or is told as done, where a tool of its flow was deleted",
    test: "test/harness/hooks.test.ts",
    title: "F21 of a flow whose tool is gone is dead, and says so",
    tries: ["F21"],
  },
  clocks: {
    risk: "a clock goes on for a name that was deleted",
    test: "test/cloudflare/runs.test.ts",
    title: "sets the object's alarm, and goes with its flow",
    tries: ["F30"],
  },
  background: {
    risk: "a tool that is deleted between two turns loses the rest of a loop, or has its elements sent twice",
    test: "test/pairs/added-tools.test.ts",
    title:
      "a loop in the background whose tool is deleted meanwhile is dead, and sends each element once when it goes on",
    tries: ["F21"],
  },
  agent: {
    risk: "a tool that was added elsewhere a moment ago is taken for one of the caller's own",
    test: "test/features/added-tools/round-trips.test.ts",
    title: "is offered to a model that is told of all tools, once the object has told of it",
    tries: ["F28"],
  },
  turns: {
    risk: "a tool that a tenant added can be found and not be called by a model's turn",
    test: "test/harness/added-tools.test.ts",
    title: "is found, described, listed and called in every way",
    tries: [],
  },
  MCP: {
    risk: "an MCP client is told that there is no such tool, because its isolate has not heard of it",
    test: "test/features/added-tools/round-trips.test.ts",
    title: "is known where an MCP client calls it",
    tries: ["F28"],
    also: {
      T46: "calls of a tenant's tool over MCP that fail close its service",
      T36: "a tool that its server describes otherwise is not called",
      T09: "in a tool that is declared while running, and as a server",
    },
  },
  tasks: {
    risk: "the task of a call is gone with the call's tool, or is seen by who could never call that",
    test: "test/pairs/added-tools.test.ts",
    title: "the task of a call outlives the tool of the call, for those alone who could call it",
    tries: ["T49"],
  },
  "sign-in": {
    risk: "a program that was let in for reads calls a write that was added afterwards",
    test: "test/pairs/added-tools.test.ts",
    title: "a token of reads never calls what a tenant adds as a write, and calls what it adds as a read",
    tries: ["T02"],
  },
  subjects: {
    risk: "a key of one person declares tools for everybody",
    test: "test/features/list.test.ts",
    title:
      "T58 where a key that acts for one subject has a right over others' things, and health names the key",
    tries: ["T58"],
  },
  connections: {
    risk: "an added tool sends no account, or that of another person",
    test: "test/features/connections/http/accounts.test.ts",
    title: "uses the subject's account, and is CONNECTION_REQUIRED without one",
    tries: ["T52"],
    also: { T53: "A declaration with a connection that is" },
  },
  park: {
    risk: "an action that waits for an account runs as the tool was declared since, unseen by any person",
    test: "test/pairs/added-tools.test.ts",
    title: "T57 what waits for an account runs nothing by it once its tool is declared otherwise",
    tries: ["T57"],
  },
  "made keys": {
    risk: "a made key may call a tool that its maker may not",
    test: "test/features/keys/key-request.test.ts",
    title: "refuses the first tool that its maker may not call",
    tries: ["T02"],
  },
  runs: {
    risk: "what a tenant marked as private stands in its runs",
    test: "test/features/runs/http/rerun-refusals.test.ts",
    title: "A tool with 'private' that a tenant added leaves neither arguments nor results",
    tries: [],
  },
  rerun: {
    risk: "a run is run again with a tool that is not what it was",
    test: "test/features/runs/http/rerun-refusals.test.ts",
    title:
      "F28 A run is run again with the tools as they are by then: a changed one is held to, and one that is gone is not called",
    tries: ["F28"],
  },
  undo: {
    risk: "a way back that a tenant declared is not taken",
    test: "test/features/undo/http/undo-imports.test.ts",
    title: "and a batch of them is undone where one fails",
    tries: ["P9"],
  },
  endpoints: {
    apart: "only a flow makes the body of an endpoint, and a plain tool of the tenant does not",
    file: "src/features/endpoints/http/check-via.ts",
    line: "const flaw = findViaFlaw(catalog.value.get(via));",
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no tool",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "the operator cannot redrive the job of a tool that its tenant has deleted, or it runs as another one",
    test: "test/pairs/added-tools.test.ts",
    title:
      "the operator's redrive runs a dead job of a tool that its tenant has deleted, as the tool was declared",
    tries: ["T22", "F28"],
  },
  "export and restore": {
    risk: "a declaration that was put back is another one",
    test: "test/features/tenant-data/http/restore.test.ts",
    title:
      "F39 An export that is put back where nothing is gives the same export, of every kind; what is lost is named",
    tries: ["F39"],
  },
  deletion: {
    risk: "a declaration that was on its way is kept of a tenant that is gone",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '["PUT /v1/tools/registered", REGISTERED]',
    tries: ["F37"],
  },
  "vault rotation": {
    apart:
      "a declaration names secrets, which the deployment binds: no value of one is kept, so none is sealed",
    file: "src/features/added-tools/declared/secret-bindings.ts",
    line: "export function isBound(secret: string, { tenant, origin }: SecretUse, secrets: ToolSecrets): boolean {",
  },
};
