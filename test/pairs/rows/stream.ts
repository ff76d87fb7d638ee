import type { RowOf } from "../matrix.ts";

export const row: RowOf<"stream"> = {
  idempotency: {
    risk: "a replay tells other results than the first stream, or in another order",
    test: "test/harness/stream.test.ts",
    title: "is replayed for its idempotency key, as the same results in the order asked",
    tries: ["P5", "T19"],
  },
  jobs: {
    risk: "a client that leaves its stream ends the jobs that it was told of",
    test: "test/harness/disconnect.test.ts",
    title: "recorded background work goes on to its end",
    tries: ["F09"],
  },
  deadline: {
    risk: "the stream ends at the deadline without a word on what is not over",
    test: "test/harness/stream.test.ts",
    title: "tells at its deadline what became of what is not over",
    tries: ["P1"],
  },
  references: {
    risk: "a result that waited for another is told otherwise than it is answered",
    test: "test/core/run/execute/streamed-results.test.ts",
    title:
      "for any batch, each result that is streamed is the one of the answer, but for what max_tokens cuts",
    tries: ["P1"],
  },
  loops: {
    risk: "of a loop the stream tells no handle by which the whole is had",
    test: "test/core/run/execute/streamed-results.test.ts",
    title: "a write whose selection found nothing is streamed with its handle, of a loop too",
    tries: [],
  },
  approvals: {
    risk: "a question is not told before the rest has run",
    test: "test/harness/confirmations.test.ts",
    title: "is streamed like any other result",
    tries: ["P1"],
  },
  links: {
    risk: "an event shows the model the link that decides",
    test: "test/harness/approval-links-stay.test.ts",
    title: "T50 no door that a model has shows the link of a question, or its token",
    tries: ["T50"],
  },
  remembered: {
    risk: "an event hides that a remembered yes let its action through",
    test: "test/pairs/stream.test.ts",
    title: "A stream says of a result whose yes was remembered, as the answer does",
    tries: [],
  },
  "added tools": {
    risk: "a batch that is planned anew tells its results twice",
    test: "test/features/added-tools/round-trips.test.ts",
    title: "is the same where its results are streamed: planned anew, it tells each of them once",
    tries: ["P1", "F28"],
  },
  flows: {
    risk: "the results of a flow are told late, or its answer never",
    test: "test/harness/run-flows.test.ts",
    title: "tells each result as an event, and last the whole",
    tries: ["P1"],
  },
  hooks: {
    apart: "the sender gets its 202 before the run begins",
    file: "src/features/flows/http/answer-hook.ts",
    line: "return recorded.ok ? ok(respondAccepted(proven.value.form, recorded.value)) : recorded;",
  },
  clocks: {
    apart: "no caller waits for what a clock starts",
    file: "src/features/flows/objects/flow-clocks.ts",
    line: 'inputJson: "{}",',
  },
  background: {
    risk: "who follows a batch in the background misses events, or reads those of others",
    test: "test/harness/runs.test.ts",
    title: "are told as events, while a batch in the background runs and afterwards, to keys that may see it",
    tries: ["P1", "T03"],
  },
  agent: {
    risk: "results of a round are told only when the round is over",
    test: "test/sdks/harness/agent-chat-stream.test.ts",
    title: "tells each result the moment it is known, before the others are",
    tries: [],
    also: { T48: "has no event under a name of ours", F26: "A stream that fails" },
  },
  turns: {
    risk: "the items of a streamed turn are not in the order of its calls",
    test: "test/harness/stream-turns.test.ts",
    title: "tells each call's item as it is known, and at last all of them in the order of the calls",
    tries: ["P1"],
  },
  MCP: {
    risk: "a client that asks for progress hears nothing of it",
    test: "test/sdks/harness/mcp.test.ts",
    title: "sees a batch's progress where it asks for it",
    tries: [],
  },
  tasks: {
    risk: "a stream ends as if its answer were there, though it is a task",
    test: "test/harness/mcp-tasks.test.ts",
    title: "An answer as events may be a task: the last message says so",
    tries: [],
  },
  "sign-in": {
    apart: "a token is none at the doors that stream batches",
    file: "src/features/sign-in/http/check-token.ts",
    line: "return this.stores !== null && hasTokenForm(key) && resourceAt(url) !== null;",
  },
  subjects: {
    risk: "a stream uses another subject's account",
    test: "test/features/connections/http/doors.test.ts",
    title: "T52 is whose account is used: %s",
    tries: ["T52"],
  },
  connections: {
    risk: "two streams of two people get each other's data",
    test: "test/features/connections/http/doors.test.ts",
    title: "T52 never meets another one, in whatever order they come, and under the same keys",
    tries: ["T52"],
  },
  park: {
    risk: "an action that waits for an account is told twice, or without its link",
    test: "test/pairs/stream.test.ts",
    title: "A streamed batch tells once what waits for an account, with where it is connected",
    tries: ["P1"],
  },
  "made keys": {
    apart: "a key is looked up before anything is streamed, and not again",
    file: "src/features/keys/http/check-key.ts",
    line: "async identify(key: string): Promise<Result<Caller | null, Refusal>> {",
  },
  runs: {
    risk: "the events of a run and the list of runs say different things",
    test: "test/features/runs/http/live-runs.test.ts",
    title: "come when they happen, and the list has the run meanwhile",
    tries: [],
  },
  rerun: {
    risk: "a rerun that is followed tells a result of the run before it once more",
    test: "test/features/runs/http/job-reruns.test.ts",
    title: "has each result of its rerun told once, by a stream that follows it to its end",
    tries: ["P1"],
  },
  undo: {
    risk: "a stream ends before its writes are taken back, and says that they stand",
    test: "test/features/undo/http/undo-batch.test.ts",
    title: "the stream tells of each entry once, when it is settled, and ends with the whole",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a client that comes again loses events, or has them twice",
    test: "test/features/endpoints/http/follow-events.test.ts",
    title: "goes on behind Last-Event-ID: nothing is lost and nothing comes twice, however much came between",
    tries: [],
  },
  portal: {
    apart: "a portal link opens no stream",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    apart: "results are counted as they end, however they are told",
    file: "src/features/operator/tally-book.ts",
    line: "book.addAction(tenant, {",
  },
  "export and restore": {
    apart: "an export has what is kept, and events are not",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a stream that goes on writes for its tenant after that was deleted",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: "F37 nothing is kept of %s that goes on when its tenant is deleted",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "nothing of a stream is sealed",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
