import type { RowOf } from "../matrix.ts";

export const row: RowOf<"flows"> = {
  hooks: {
    risk: "one delivery runs its flow twice",
    test: "test/features/flows/http/deliveries.test.ts",
    title: "a delivery runs its flow once in 72 hours, and after them its id is another's",
    tries: ["T38"],
    also: {
      T55: "a secret that opens another flow too",
      F27: "every delivery that was answered 202 has one run",
      F30: "a delivery causes a run of the flow that there is",
    },
  },
  clocks: {
    risk: "a paused flow is started by its clock all the same",
    test: "test/features/flows/keep-flow.test.ts",
    title: "a paused one has no clock, nor has a flow that only a webhook runs, or its callers",
    tries: [],
  },
  background: {
    risk: "a flow that failed behind its first write is begun again by the batch's next attempt, and writes twice",
    test: "test/pairs/again.test.ts",
    title:
      "a flow in the background that failed behind its first write is not begun again: the write is sent once",
    tries: ["P4"],
  },
  agent: {
    risk: "what a flow did for a conversation stands in no run of it",
    test: "test/features/runs/http/agent-runs.test.ts",
    title: "A flow that a conversation calls is a child of its run",
    tries: [],
  },
  turns: {
    risk: "a flow cannot be called by a model's turn, though it is listed",
    test: "test/harness/run-flows.test.ts",
    title: "is found, described and invoked like any other, and called by a model's turn",
    tries: [],
  },
  MCP: {
    risk: "a client of MCP reaches the tools of a flow beside the flow",
    test: "test/harness/sign-in.test.ts",
    title: "of flows runs a flow with all that its actions need, and none of these tools itself",
    tries: ["T02"],
  },
  tasks: {
    risk: "a flow that asks a person ends the call without its answer",
    test: "test/pairs/tasks.test.ts",
    title: "a flow is a task where one of its actions asks a person, and has the flow's answer after the yes",
    tries: [],
  },
  "sign-in": {
    apart: "a program's token keeps no flow: it has none of its key's rights",
    file: "src/features/sign-in/sign-in.ts",
    line: "flags: [],",
  },
  subjects: {
    risk: "a flow's run uses another person's account",
    test: "test/features/connections/http/doors.test.ts",
    title: '"a flow\'s run":',
    tries: ["T52"],
  },
  connections: {
    risk: "a person says yes to a flow without seeing whose account its actions use, or the account's token goes elsewhere",
    test: "test/pairs/triggers.test.ts",
    title: "P8: T10 a flow's action asks no host that its tool does not name",
    tries: ["P8", "T10"],
    also: { T57: "of a flow that of its actions" },
  },
  park: {
    risk: "a flow that misses an account loses what it had done, or runs it again",
    test: "test/features/connections/http/park-doors.test.ts",
    title: "that is run by itself has its actions wait, and what needs them; the others run",
    tries: ["P1"],
  },
  "made keys": {
    risk: "a flow calls what the key that kept it may not",
    test: "test/harness/flow-rights.test.ts",
    title: "T47 a run finds no tool that the key which kept the flow may not call, by whichever door",
    tries: ["T47"],
  },
  runs: {
    risk: "a flow inside of a batch is seen as a run of its own that nothing caused",
    test: "test/features/runs/http/runs.test.ts",
    title: "flow: its run says so, and one that is an action of a batch is a run that the batch's has caused",
    tries: [],
  },
  rerun: {
    risk: "a flow's rerun forgets which flow it was, and its answer",
    test: "test/features/runs/http/rerun-roots.test.ts",
    title: "T56 A rerun of a flow keeps its source, its name and its answer, and sees the input",
    tries: ["T56"],
  },
  undo: {
    risk: "a flow that fails half way leaves what it wrote",
    test: "test/features/undo/http/undo-doors.test.ts",
    title: "a flow that says so is undone where it fails, and is shown as it was sent",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a flow that makes an endpoint's body writes",
    test: "test/features/endpoints/http/via.test.ts",
    title: "whose flow writes by the time it is run sends nothing, and the attempt says why",
    tries: ["F30"],
  },
  portal: {
    risk: "a customer reads the flow that makes its events, or chooses another",
    test: "test/features/endpoints/http/via.test.ts",
    title: "T54 keeps its flow in the hands of its customer, who cannot choose another",
    tries: ["T54"],
  },
  operator: {
    risk: "a flow's failed run counts twice: by its actions and as a job",
    test: "test/features/operator/http/operator.test.ts",
    title: "that is a run counts by the actions of that alone",
    tries: [],
  },
  "export and restore": {
    risk: "an export lacks a flow, or gives one to a key that may not call it",
    test: "test/features/tenant-data/http/held-export.test.ts",
    title: "T02 an export holds what its key may call and manage, tools and flows apart",
    tries: ["T02"],
  },
  deletion: {
    risk: "a flow that was on its way is kept of a tenant that is gone",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '["PUT /v1/flows/whole"',
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a flow keeps the names of its secrets; what is sealed has an owner and a use, and no flow is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
