import type { RowOf } from "../matrix.ts";

export const row: RowOf<"approvals"> = {
  links: {
    risk: "a link goes on deciding after the key that made it was revoked",
    test: "test/features/confirmations/http/links.test.ts",
    title: "ends with the key that made it, and the question waits on",
    tries: ["T59"],
    also: {
      T40: "answers pages without a script",
      T41: "shows what hides as escapes",
      F29: "a question of the landed version takes a link",
    },
  },
  remembered: {
    risk: "a yes for any arguments lets a tool delete whatever comes",
    test: "test/features/confirmations/http/remembered.test.ts",
    title:
      "is refused beside a no, alone, out of bounds, and for any arguments of a tool that deletes: the question waits on",
    tries: ["T50"],
  },
  "added tools": {
    risk: "a yes runs a tool that was replaced after it was shown",
    test: "test/harness/added-tools.test.ts",
    title: "that was replaced is not what a person said yes to",
    tries: ["T57"],
  },
  flows: {
    risk: "a flow sends what its own results gave, without being asked about it",
    test: "test/features/flows/run/flow-questions.test.ts",
    title: "T50 asks again about an action whose arguments its own results give, and then goes on, once",
    tries: ["T50"],
  },
  hooks: {
    risk: "a delivery's run that asks counts as failed, and asks again",
    test: "test/harness/hooks.test.ts",
    title: "that has to ask a person has succeeded, with the question listed",
    tries: [],
  },
  clocks: {
    risk: "a person cannot see what started the run that asks",
    test: "test/pairs/links.test.ts",
    title: "A yes by a link runs what %s asked, and the question says what began it",
    tries: [],
  },
  background: {
    risk: "who waits for a question does not hear of its decision",
    test: "test/features/background/http/wait.test.ts",
    title: "answers a question that is decided meanwhile",
    tries: [],
  },
  agent: {
    risk: "the model does not learn what a yes has run",
    test: "test/sdks/harness/agent-confirmation.test.ts",
    title: "inside a batch is told in its envelope once it is decided, and the summary with it",
    tries: [],
  },
  turns: {
    risk: "the reply to a call has no way to its question",
    test: "test/harness/confirmation-list.test.ts",
    title: "stands in the reply to a provider's call",
    tries: [],
  },
  MCP: {
    risk: "a call that comes back after the yes runs once more",
    test: "test/features/mcp/http/questions.test.ts",
    title: "has its result when it comes back after the decision, and nothing runs again",
    tries: ["T42"],
  },
  tasks: {
    risk: "the task of an approved call never has its data",
    test: "test/features/mcp/http/questions.test.ts",
    title: "has its tool's own data once a person said yes",
    tries: [],
  },
  "sign-in": {
    risk: "a program reads or decides the questions of the key it signed in with",
    test: "test/harness/mcp-tasks.test.ts",
    title: "T51 is not told of a question that its key asked, whichever scopes it has",
    tries: ["T51"],
  },
  subjects: {
    risk: "a key of one person decides a question without a subject",
    test: "test/features/connections/http/subject-keys.test.ts",
    title:
      "T52 A question without a subject is none for a key that acts for one, and a key without one decides all, each with its own account",
    tries: ["T52"],
  },
  connections: {
    risk: "a yes to one account uses another that was connected since",
    test: "test/features/connections/http/asked-accounts.test.ts",
    title: "is not used by a yes: 409, and the question is over",
    tries: ["T57"],
  },
  park: {
    risk: "connecting the account counts as the yes",
    test: "test/features/connections/http/park.test.ts",
    title: "still needs a person's yes where the tool does: connecting the account is none",
    tries: ["T18"],
  },
  "made keys": {
    risk: "a made key decides that was not given the right",
    test: "test/harness/keys.test.ts",
    title: "T50 gives the flag 'approve' where the key that asks has it: the key that was made decides",
    tries: ["T50"],
  },
  runs: {
    risk: "what a yes ran is no run, or its first one waits for ever",
    test: "test/features/runs/http/runs.test.ts",
    title: "waits until it is approved; the approval is a run that it has caused",
    tries: [],
  },
  rerun: {
    risk: "a rerun asks a second question while the first one is open",
    test: "test/features/runs/http/rerun-chains.test.ts",
    title: "waits for the same question while that is open, and asks no second one",
    tries: ["T56"],
    also: { F10: "a runtime that is killed while two features write" },
  },
  undo: {
    risk: "a no leaves standing what ran before it",
    test: "test/features/undo/http/undo-questions.test.ts",
    title: "is undone by a no: the decision's envelope and the event at 'callback_url' have 'undone'",
    tries: ["P9"],
    also: { F15: "a yes that does not reach its object", F16: "a yes that does not reach its object" },
  },
  endpoints: {
    risk: "the event about a question has the link that decides it",
    test: "test/features/endpoints/http/own-events.test.ts",
    title: "is told of a question and its answer, without the link of a person",
    tries: ["T50"],
    also: { F33: "killed right after a question was asked" },
  },
  portal: {
    apart: "a portal link decides nothing",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "the overview counts questions that were decided",
    test: "test/features/operator/http/operator.test.ts",
    title: "says how many questions wait, until they are decided",
    tries: [],
    also: { F14: "starts again while a question waits has its alarm" },
  },
  "export and restore": {
    apart: "no part exports questions: they are decided where they were asked",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a yes carries out what a deleted tenant asked",
    test: "test/pairs/links.test.ts",
    title: "A question of a tenant that was deleted is gone for keys, and its link opens nothing",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a question keeps no token: a yes asks for one",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
