import type { RowOf } from "../matrix.ts";

export const row: RowOf<"references"> = {
  loops: {
    risk: "a loop over a loop's data takes elements that failed for data",
    test: "test/core/run/start-step.test.ts",
    title: "one's data can be referred to, and looped over in turn",
    tries: [],
  },
  approvals: {
    risk: "a yes runs with arguments that came after it, unseen",
    test: "test/core/run/execute/executor-confirmations.test.ts",
    title: "T50 asks again, with the arguments as they are by then, where they come from after the yes",
    tries: ["T50"],
  },
  links: {
    risk: "a form edits arguments that are not known yet",
    test: "test/features/confirmations/http/read-form.test.ts",
    title: "are none of an action whose arguments are not known yet, and none with a no",
    tries: ["T57"],
  },
  remembered: {
    risk: "a remembered yes lets arguments through that references bring, and that it was not to",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "knows arguments that references bring, once they are there",
    tries: ["T50"],
  },
  "added tools": {
    risk: "a condition of a tool that is data is asked before its references are there",
    test: "test/features/added-tools/declared/conditional-defaults.test.ts",
    title: "also when it is planned, and when a reference is waited for",
    tries: ["T57"],
  },
  flows: {
    risk: "the answer of a flow cannot be referred to in its batch",
    test: "test/features/flows/run/run-flow.test.ts",
    title: "is referred to by other actions, and refers to them",
    tries: [],
  },
  hooks: {
    risk: "a reference to the delivery breaks runs that no delivery began",
    test: "test/features/flows/http/refusals.test.ts",
    title: "are null, and lead nowhere, where no delivery began the run",
    tries: [],
  },
  clocks: {
    apart: "a clock gives its run nothing to refer to",
    file: "src/features/flows/objects/flow-clocks.ts",
    line: 'inputJson: "{}",',
  },
  background: {
    risk: "a later attempt gives an action other data than the elements had",
    test: "test/features/background/http/attempt-batch.test.ts",
    title: "hands the whole of its elements' data to actions that refer to them, also in a later attempt",
    tries: ["F31"],
  },
  agent: {
    risk: "a reference of one call leads to an action of another call",
    test: "test/features/agent/run-agent.test.ts",
    title: "does not mix up ids that two calls of a turn both refer to",
    tries: ["P1"],
  },
  turns: {
    risk: "calls that share an id refer to each other's results",
    test: "test/turns/batch-calls.test.ts",
    title: "that name the same id are told apart, with no id that another has",
    tries: ["P1", "T66"],
  },
  MCP: {
    risk: "what a tool of an MCP server answers cannot be referred to",
    test: "test/sdks/harness/mcp-servers.test.ts",
    title: "run in a batch, and what they answer can be referred to",
    tries: [],
  },
  tasks: {
    apart: "a task holds the whole answer to a call, and references lead to actions",
    file: "src/features/mcp/tasks/task.ts",
    line: "toCallResult(state.reply)",
  },
  "sign-in": {
    risk: "a narrowed token reads a kept result of a tool that it may not call",
    test: "test/core/answer/recall-results.test.ts",
    title:
      "T49 recallResults() gives nothing of a tool that the key may not call, nor what does not say whose it is",
    tries: ["T49"],
  },
  subjects: {
    risk: "a handle leads to another subject's result",
    test: "test/features/connections/http/doors.test.ts",
    title: "T52 finds nothing by the handle of another one's result",
    tries: ["T52"],
  },
  connections: {
    risk: "a reference carries a token of an account on",
    test: "test/features/connections/http/accounts.test.ts",
    title: "P7: T16 has the token in no result, error or line, whichever way it comes back",
    tries: ["P7", "T16"],
  },
  park: {
    risk: "what ran before is read anew when the account is connected, and is another by then",
    test: "test/features/connections/http/park.test.ts",
    title: "runs it from stored results once the account is connected, with nobody's yes",
    tries: [],
  },
  "made keys": {
    risk: "a made key reads by a handle what it may not call",
    test: "test/harness/references.test.ts",
    title: "T49 gives a handle that means nothing to a key that may not call the tool",
    tries: ["T49"],
  },
  runs: {
    risk: "a run keeps resolved arguments of a private tool",
    test: "test/features/runs/http/runs.test.ts",
    title:
      "says how arguments were written that were refused, or whose references were resolved, and of no private tool",
    tries: [],
  },
  rerun: {
    risk: "a skipped action is run again with references to nothing",
    test: "test/features/runs/rerun/run-rerun.test.ts",
    title: "runs what was skipped after what it waited for, with the references that it had",
    tries: [],
  },
  undo: {
    risk: "a write is taken back before the one that referred to it",
    test: "test/features/undo/http/undo-batch.test.ts",
    title: "domains are taken back side by side, and what depended on another write before it",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a question about an event guesses its receivers while its data is not known",
    test: "test/features/endpoints/http/reach.test.ts",
    title: "nothing while its arguments are not known",
    tries: [],
  },
  portal: {
    apart: "a portal link sends no actions",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    apart: "arguments are not counted",
    file: "src/features/operator/tally-book.ts",
    line: "book.addAction(tenant, {",
  },
  "export and restore": {
    apart: "kept results are no part of an export",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a handle leads to a result of a tenant that is gone",
    test: "test/cloudflare/tenant-gate.test.ts",
    title: "An object that is erased keeps no row but of its quota and its versions",
    tries: ["T03"],
  },
  "vault rotation": {
    apart: "kept results are not sealed: they have no token",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
