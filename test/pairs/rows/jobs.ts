import type { RowOf } from "../matrix.ts";

export const row: RowOf<"jobs"> = {
  deadline: {
    risk: "a read that is cut off by the deadline is sent again by its job",
    test: "test/harness/deadline.test.ts",
    title:
      "A read that is unfinished at the deadline goes on: its job has the data, the upstream saw one call",
    tries: ["P2"],
  },
  references: {
    risk: "a job's later attempt looks its references up anew",
    test: "test/core/run/start-step.test.ts",
    title: "a background job is recorded with what its references stood for",
    tries: ["P4"],
  },
  loops: {
    risk: "some elements of a loop are recorded, and the answer has ids of others",
    test: "test/core/run/start-step.test.ts",
    title: "records a job for every element in one admission and answers with their ids",
    tries: ["P2"],
  },
  approvals: {
    risk: "the job of an action that asks is recorded before the yes",
    test: "test/core/run/execute/executor-confirmations.test.ts",
    title: "records no background job of a gated tool, and draws from no limit for it",
    tries: ["T18"],
    also: { F17: "a yes to a job that the disk has no room for" },
  },
  links: {
    risk: "who reads a job finds the link that decides its question",
    test: "test/features/confirmations/http/approvers.test.ts",
    title: "shows no link to a key that reads the job",
    tries: ["T50"],
  },
  remembered: {
    risk: "a background action waits although its yes is remembered, or is recorded twice",
    test: "test/pairs/remembered.test.ts",
    title: "lets a background action become a job at once, under the key that was asked",
    tries: ["T50"],
  },
  "added tools": {
    risk: "a job is lost when its tool is deleted",
    test: "test/harness/added-tools.test.ts",
    title: "F28 lets its jobs go on, in the object's alarm as well",
    tries: ["F28"],
  },
  flows: {
    risk: "a flow that begins background work says that it is done",
    test: "test/features/flows/run/run-flow.test.ts",
    title: "records its background work, and says so by its success",
    tries: ["P2"],
    also: { T23: "is taken from a flow's run as well" },
  },
  hooks: {
    risk: "runs of deliveries that wait take the place of other jobs",
    test: "test/cloudflare/runs.test.ts",
    title: "is not recorded where too many of its flow, or of all flows, wait; other jobs are",
    tries: ["T21", "F17"],
  },
  clocks: {
    risk: "a clock's time passes unseen while the alarm repeats jobs",
    test: "test/cloudflare/runs.test.ts",
    title: "is taken while the alarm has other work",
    tries: ["F14"],
  },
  background: {
    risk: "a later attempt records the jobs of a loop once more",
    test: "test/features/background/http/attempt-batch.test.ts",
    title: "records a job for each element of a background tool, the same ones in a later attempt",
    tries: ["P4"],
  },
  agent: {
    risk: "a conversation that comes again records its job again",
    test: "test/features/agent/request-key.test.ts",
    title: "a job is the one that is recorded, and a question the one that was put",
    tries: ["T42"],
  },
  turns: {
    risk: "a provider's turn is told that background work is done",
    test: "test/turns/write-reply.test.ts",
    title: "$status is an object with that status",
    tries: [],
  },
  MCP: {
    risk: "a client without tasks waits for a job that it cannot see",
    test: "test/sdks/harness/mcp-tasks.test.ts",
    title: "that cannot sees what waits in the result, and no task of what goes on",
    tries: [],
  },
  tasks: {
    risk: "a job that failed leaves its task working for ever",
    test: "test/features/mcp/http/tasks.test.ts",
    title: "is told of a job that failed, or is dead, by a completed task whose result is an error",
    tries: ["T22"],
  },
  "sign-in": {
    risk: "a token that has ended records a job all the same",
    test: "test/features/mcp/http/ended-caller.test.ts",
    title:
      "T51 a token that has ended elsewhere writes nothing, and records no job: 401 before anything runs",
    tries: ["T51"],
  },
  subjects: {
    risk: "one person's key sees or changes another's job",
    test: "test/features/connections/http/subject-keys.test.ts",
    title: "T52 changes nothing of another's: %s %s",
    tries: ["T52"],
  },
  connections: {
    risk: "a job does again in another account what it may have done in one",
    test: "test/features/connections/http/account-ids.test.ts",
    title: "What may have been done in one account is not done again in another",
    tries: ["T56", "T57"],
  },
  park: {
    risk: "a job that waits for an account is recorded without it, or never",
    test: "test/pairs/stream.test.ts",
    title: "A background action that waits for an account becomes one job when that is connected",
    tries: ["T52"],
  },
  "made keys": {
    risk: "the event about a made key's job is signed with the wrong secret",
    test: "test/cloudflare/made-keys.test.ts",
    title: "has a made key's callbacks signed as its maker's, and its tenant's data where the tenant's is",
    tries: ["T23"],
  },
  runs: {
    risk: "a run stays a success although its job failed",
    test: "test/features/runs/http/jobs-of-runs.test.ts",
    title: "one that failed for good makes it an error, in the list, by its filter and in its action",
    tries: ["T22"],
  },
  rerun: {
    risk: "a job that failed is made again under another key",
    test: "test/features/runs/http/jobs-of-runs.test.ts",
    title:
      "one that failed is made again, under the key of the first, whether all is asked for or what failed",
    tries: ["P4", "T56"],
  },
  undo: {
    risk: "a job of a batch that is undone goes on and is not taken back",
    test: "test/features/undo/http/undo-doubts.test.ts",
    title: "a job that is under way gets no further attempt, and is taken back when that one succeeds",
    tries: ["P9"],
    also: {
      F10: "a runtime that is killed while two features write",
      F36: "a job that was recorded before a kill",
    },
  },
  endpoints: {
    risk: "a tenant is not told of a dead job, or twice",
    test: "test/features/endpoints/http/own-events.test.ts",
    title: "is told of a dead job, once, with its id, tool and code",
    tries: ["T22"],
  },
  portal: {
    risk: "a customer's link reads the tenant's jobs",
    test: "test/features/endpoints/http/portal.test.ts",
    title: "T54 reaches no other customer's endpoints and deliveries, whatever it names, and no other path",
    tries: ["T54"],
  },
  operator: {
    risk: "dead jobs that were redriven stay in the overview",
    test: "test/features/operator/http/operator.test.ts",
    title: "are redriven by the operator, of one code and tool, and go from the overview",
    tries: ["T22"],
  },
  "export and restore": {
    risk: "a restored run has lost what became of its jobs",
    test: "test/features/runs/http/restore-runs.test.ts",
    title: "takes back what became of the jobs of a run, and a tenant that is deleted has none of it",
    tries: ["F39"],
  },
  deletion: {
    risk: "a job that is tried again writes for a tenant that is gone",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: "F37 nothing is kept of %s that goes on when its tenant is deleted",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a job's row has arguments and no token; its attempts ask for one",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
