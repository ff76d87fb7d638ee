import type { RowOf } from "../matrix.ts";

export const row: RowOf<"idempotency"> = {
  jobs: {
    risk: "the same action under its key becomes a second job",
    test: "test/harness/idempotency.test.ts",
    title: "has the same job again, and one call",
    tries: ["P5", "T19"],
    also: { F11: "killed between record and answer" },
  },
  deadline: {
    risk: "a read that becomes a job at the deadline is sent under another key",
    test: "test/core/run/demotion.test.ts",
    title: "has a job that is repeated, under the key its call has sent",
    tries: ["P4"],
  },
  references: {
    risk: "a key answers for another value than its reference stands for",
    test: "test/harness/idempotency.test.ts",
    title: "compares what its references stand for: the same value replays, another one is a conflict",
    tries: ["P5", "T19"],
  },
  loops: {
    risk: "elements of a list that has changed have the keys of others, and are dropped upstream",
    test: "test/core/gate/claimed-keys.test.ts",
    title:
      "knows the elements of a loop by their arguments, though the list that it goes over is shorter by now",
    tries: ["P4"],
  },
  approvals: {
    risk: "a person is asked once for each time that the request comes",
    test: "test/core/gate/claimed-keys.test.ts",
    title: "is asked once under a key: later batches point to the same confirmation, which is no failure",
    tries: ["T19"],
  },
  links: {
    risk: "a form that is sent twice carries its question out twice",
    test: "test/harness/approvals.test.ts",
    title: "takes one yes from its own form, under its name, and then says that it was used",
    tries: ["T18"],
  },
  remembered: {
    risk: "a kept answer is asked about anew once its remembered yes is forgotten",
    test: "test/pairs/idempotency.test.ts",
    title:
      "A kept answer is given again though the yes that let it through is forgotten, and nothing is sent",
    tries: ["P5", "T19"],
  },
  "added tools": {
    risk: "a tool that is data sends its write without the action's key",
    test: "test/features/added-tools/declared/send-http.test.ts",
    title: "with the action's key goes with a write that is safe with it",
    tries: ["P4"],
  },
  flows: {
    risk: "a flow that is run again under its key sends its writes again",
    test: "test/harness/run-flows.test.ts",
    title: "runs once under one key, and answers the same again",
    tries: ["P5", "T19"],
  },
  hooks: {
    risk: "a delivery that comes again runs its flow again",
    test: "test/harness/hooks.test.ts",
    title: "that is repeated is told the same run, and runs once",
    tries: ["T38"],
  },
  clocks: {
    risk: "one time of a clock runs its flow twice",
    test: "test/cloudflare/runs.test.ts",
    title: "never runs one time twice, also where its row was set back",
    tries: ["F23"],
  },
  background: {
    risk: "the same request becomes a second batch in the background",
    test: "test/harness/background.test.ts",
    title: "is the same job for the same request under its key, and a conflict for another",
    tries: ["P5"],
  },
  agent: {
    risk: "a client that retries its request has the model write again",
    test: "test/harness/agent-repeats.test.ts",
    title: "is answered with what was written for it (stream: %s)",
    tries: ["T42"],
  },
  turns: {
    risk: "the batches of one turn share a key, and one answers for the other",
    test: "test/turns/run-tool-calls.test.ts",
    title: "has a key of its own for each batch of it, the first the turn's",
    tries: ["P5"],
  },
  MCP: {
    risk: "a message with another number runs the same call again",
    test: "test/harness/idempotency.test.ts",
    title: "of an MCP call runs it once, however its message is numbered",
    tries: ["P5", "T19"],
  },
  tasks: {
    risk: "a call that comes again has a second task",
    test: "test/features/mcp/http/tasks.test.ts",
    title: "has the same task for a call that comes again under its key",
    tries: ["P5"],
  },
  "sign-in": {
    risk: "a token that may do less is given the answer of its key",
    test: "test/harness/narrowed-keys.test.ts",
    title: "of %s is for a key of the name that may call its tools, and for no other",
    tries: ["T49"],
  },
  subjects: {
    risk: "one subject is answered with what was kept for another under the same key",
    test: "test/pairs/idempotency.test.ts",
    title: "One key of two subjects is two: neither is answered with what the other's account gave",
    tries: ["T52"],
  },
  connections: {
    risk: "a key stays bound to a batch that sent nothing, because its account was missing",
    test: "test/pairs/idempotency.test.ts",
    title: "A batch that missed its account runs under the same key once that is connected",
    tries: [],
  },
  park: {
    risk: "a request that comes again asks a second question, and both run",
    test: "test/pairs/idempotency.test.ts",
    title: "A batch that waits for an account has one question under its key, which runs once",
    tries: ["P5"],
  },
  "made keys": {
    risk: "another key of the tenant is given the answer",
    test: "test/harness/idempotency.test.ts",
    title: "with other content, or from another key of the tenant, is refused",
    tries: ["P5"],
  },
  runs: {
    risk: "each replay leaves a run, as if it had run again",
    test: "test/pairs/idempotency.test.ts",
    title: "An answer that is given again leaves no second run, and the operator counts one",
    tries: ["P5", "T19"],
  },
  rerun: {
    risk: "a rerun that is sent again sends its writes again",
    test: "test/features/runs/http/bulk.test.ts",
    title: "A rerun that is sent again under its Idempotency-Key is answered as it was, and runs once",
    tries: ["P5", "T19"],
  },
  undo: {
    risk: "an undo that is asked for again takes back more",
    test: "test/features/undo/http/ask-undo.test.ts",
    title: "answers a request that comes again under its Idempotency-Key as it was answered first",
    tries: ["P9", "T19"],
  },
  endpoints: {
    risk: "an event that is published again is delivered again",
    test: "test/features/endpoints/http/publish.test.ts",
    title:
      "is one event for a day under its id, or its request's Idempotency-Key, and other content is refused",
    tries: ["T19"],
  },
  portal: {
    apart: "what a customer changes is named by its id, and takes no key",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a replay counts as one more run of the tenant",
    test: "test/pairs/idempotency.test.ts",
    title: "An answer that is given again leaves no second run, and the operator counts one",
    tries: ["P5", "T19"],
  },
  "export and restore": {
    apart: "no part exports answers that are kept under keys",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a key answers with what was deleted",
    test: "test/harness/tenant-data.test.ts",
    title:
      "deletes jobs, answers, questions, tools, flows, files, objects and keys, and no quota that is used",
    tries: ["T03"],
  },
  "vault rotation": {
    apart: "kept answers are not sealed: they have no token",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
