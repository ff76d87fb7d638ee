import type { RowOf } from "../matrix.ts";

export const row: RowOf<"batch"> = {
  stream: {
    risk: "a result that was told is missing in the whole envelope, or other there",
    test: "test/harness/stream.test.ts",
    title: "tells each result as it is known, and at last the whole envelope",
    tries: ["P1"],
    also: { T44: "holds what its answer takes until the client has read all of it" },
  },
  idempotency: {
    risk: "the batch runs again under its key, or is answered otherwise",
    test: "test/harness/idempotency.test.ts",
    title: "T19 sent again is answered byte for byte as before, and nothing is called",
    tries: ["P5", "T19"],
    also: { F18: "100 times at once runs once" },
  },
  jobs: {
    risk: "an action waits for background work beside it, or the batch loses its jobs",
    test: "test/harness/jobs.test.ts",
    title: "makes nothing wait, and a batch of them has its jobs all the same",
    tries: ["P1", "P2"],
  },
  deadline: {
    risk: "a batch that is over in time has no result for what was unfinished",
    test: "test/harness/batch.test.ts",
    title: "ends at its deadline with what there is by then",
    tries: ["P1", "P6"],
  },
  references: {
    risk: "a circle of references holds the batch for ever",
    test: "test/harness/references.test.ts",
    title: "in a circle refuses the batch, and spells the circle out",
    tries: ["P6"],
  },
  loops: {
    risk: "a loop takes more of the batch than its tool's cap",
    test: "test/harness/references.test.ts",
    title: "runs over what another action found, under the tool's cap",
    tries: ["P6"],
    also: { T27: "The room of an answer" },
  },
  approvals: {
    risk: "a question holds up actions that do not need it",
    test: "test/harness/confirmations.test.ts",
    title: "is parked with what needs it, and the rest of the batch runs and is answered now",
    tries: ["P1"],
  },
  links: {
    risk: "the model reads the link in its batch's answer, and says yes itself",
    test: "test/harness/approval-links-stay.test.ts",
    title: "T50 no door that a model has shows the link of a question, or its token",
    tries: ["T50"],
  },
  remembered: {
    risk: "a remembered yes lets another action of a batch through",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "is none for other arguments, another tool, another key or another tenant",
    tries: ["T18", "T50"],
  },
  "added tools": {
    risk: "a tool that is replaced meanwhile runs in half of a batch",
    test: "test/harness/hostile-requests.test.ts",
    title: "F28 a batch that is under way when its tool is replaced ends as it was planned",
    tries: ["F28"],
  },
  flows: {
    risk: "a flow in a batch has slots of its own, beyond those of the batch",
    test: "test/features/flows/run/run-flow.test.ts",
    title: "shares the header slots of the batch that it is inside of",
    tries: ["P6", "F07"],
  },
  hooks: {
    risk: "the batch of a delivery sends a write again at its next attempt",
    test: "test/features/flows/http/deliveries.test.ts",
    title: "a run's next attempt repeats no write that has succeeded",
    tries: ["P4"],
  },
  clocks: {
    apart: "a clock starts a kept flow, never actions that a request brings",
    file: "src/features/flows/objects/flow-clocks.ts",
    line: "if (tool === null || !isFlow(tool) || runs.causedBy(now, { flow, cause }) !== null) return keep();",
  },
  background: {
    risk: "jobs that a batch in the background records are lost with its own",
    test: "test/harness/background.test.ts",
    title: "records the jobs of its actions beside its own, wherever they stand",
    tries: ["P2"],
  },
  agent: {
    risk: "several batches of one turn share ids, and one's results reach another",
    test: "test/features/agent/run-agent.test.ts",
    title: "keeps the ids of several calls of execute_actions apart, and their caps together",
    tries: ["P1", "T39"],
  },
  turns: {
    risk: "a batch inside a turn changes what the calls beside it are answered",
    test: "test/turns/run-tool-calls.test.ts",
    title: "may carry whole batches beside single calls",
    tries: ["P1"],
  },
  MCP: {
    risk: "one failed action makes the whole call an error to its client",
    test: "test/sdks/harness/mcp.test.ts",
    title: "gets a batch as text and as structure, and no error because an action failed",
    tries: ["P1"],
  },
  tasks: {
    risk: "a client waits for a task although the batch was answered",
    test: "test/features/mcp/http/tasks.test.ts",
    title:
      "gets no task of a call that is over, nor of a batch of which a part goes on: the batch has its answer",
    tries: [],
    also: { F10: "A batch's task and a call's are found after the runtime was killed" },
  },
  "sign-in": {
    risk: "a token of reads writes by an action inside a batch",
    test: "test/harness/sign-in.test.ts",
    title:
      "of reads only lists and calls reads; a write is 403 with the scopes that it takes, and UNKNOWN_TOOL in a batch",
    tries: ["T02"],
  },
  subjects: {
    risk: "two batches at once use each other's accounts",
    test: "test/features/connections/http/accounts.test.ts",
    title: "uses that subject's accounts, and each batch its own",
    tries: ["T52"],
  },
  connections: {
    risk: "one missing account fails the whole batch",
    test: "test/features/connections/http/accounts.test.ts",
    title: "has a link for that subject, and siblings run",
    tries: ["P1"],
  },
  park: {
    risk: "an action without an account holds up its siblings, or what needs it runs",
    test: "test/features/connections/http/park.test.ts",
    title: "has what misses an account wait, and what needs it; the others run",
    tries: ["P1"],
  },
  "made keys": {
    risk: "made keys together send more batches than the key that made them may",
    test: "test/harness/keys.test.ts",
    title:
      "T45 P3 twelve keys that a key of five requests made, and one that one of them made, send five batches together",
    tries: ["P3", "T45"],
  },
  runs: {
    risk: "a batch leaves no run, or one for each action",
    test: "test/harness/runs.test.ts",
    title: "are as many as the batches of all its keys, at most one report a second and isolate",
    tries: [],
    also: { F34: "An object of runs that is" },
  },
  rerun: {
    risk: "a batch that is run again sends a write twice",
    test: "test/harness/runs.test.ts",
    title: "are run again without a write that is sent twice: what is uncertain asks a person first",
    tries: ["T56"],
  },
  undo: {
    risk: "a kill in the middle leaves writes of a batch that had to be undone",
    test: "test/harness/undo-crash.test.ts",
    title: "P9: F36 killed while it runs, a batch that is undone where it fails leaves nothing booked",
    tries: ["P9", "F36"],
  },
  endpoints: {
    risk: "an action that publishes an event publishes it twice",
    test: "test/features/endpoints/http/publish.test.ts",
    title: "is published by a tool as well, once for a call",
    tries: [],
  },
  portal: {
    risk: "a portal link runs a batch",
    test: "test/features/endpoints/http/portal.test.ts",
    title: "T54 reaches no other customer's endpoints and deliveries, whatever it names, and no other path",
    tries: ["T54"],
  },
  operator: {
    risk: "batches are not counted, or for the wrong tenant",
    test: "test/features/operator/http/operator.test.ts",
    title: "counts runs, actions, errors and calls of every tenant, those with the most errors first",
    tries: [],
  },
  "export and restore": {
    risk: "a batch comes back other than it was exported",
    test: "test/features/runs/http/restore-runs.test.ts",
    title: "takes back the runs of an export: their order, their times, every digit, and each once",
    tries: ["F39"],
  },
  deletion: {
    risk: "a batch under way writes to the tenant after it was deleted",
    test: "test/cloudflare/erasure.test.ts",
    title: "takes nothing that began before its tenant was deleted, after an eviction too",
    tries: ["F37"],
  },
  "vault rotation": {
    risk: "batches miss their accounts while keys of the vault change",
    test: "test/harness/connections-crash.test.ts",
    title:
      "is changed by two keys, a rotation and a restart without the old one: accounts are usable all the way",
    tries: [],
  },
};
