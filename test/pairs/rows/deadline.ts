import type { RowOf } from "../matrix.ts";

export const row: RowOf<"deadline"> = {
  references: {
    risk: "a result of an earlier batch is waited for beyond the deadline, or by actions that do not refer to it",
    test: "test/core/run/start-step.test.ts",
    title: "fetching them is part of the deadline, and only what refers to one waits for it",
    tries: ["P6"],
  },
  loops: {
    risk: "a loop goes on to begin elements after the deadline",
    test: "test/core/run/late-timers.test.ts",
    title: "T63 a loop of %s begins no element after the deadline, though its timer is late",
    tries: ["T63"],
  },
  approvals: {
    risk: "a question is dropped because the deadline passed for other actions",
    test: "test/core/run/execute/executor-confirmations.test.ts",
    title: "asks a person even when the deadline passed for the others",
    tries: ["P1"],
  },
  links: {
    apart: "a link has an end of its own",
    file: "src/features/confirmations/http/answer-link.ts",
    line: "return link.isUsed || nowMs >= link.expiresAt ? OVER : null;",
  },
  remembered: {
    apart: "a remembered yes has an end of its own",
    file: "src/features/confirmations/objects/remembered-table.ts",
    line: "SELECT json FROM remembered WHERE asker = ? AND subject = ? AND until > ?",
  },
  "added tools": {
    risk: "an MCP server that never answers holds a call beyond its time",
    test: "test/features/added-tools/mcp/hostile-servers.test.ts",
    title: "that never ends is over with the call's time, and one that never begins as well",
    tries: ["P6", "T13"],
  },
  flows: {
    risk: "a flow outlives the deadline of the batch that it is in",
    test: "test/features/flows/run/run-flow.test.ts",
    title: "ends at its own deadline or the batch's, whichever is first, and takes its reads with it",
    tries: ["P6"],
  },
  hooks: {
    risk: "the lease of a delivery's run ends before its flow's time",
    test: "test/cloudflare/runs.test.ts",
    title: "has its flow's time besides the lease",
    tries: ["F12"],
    also: {
      F10: "runs again when its flow's time and its lease are over",
      F13: "reports after its flow's time and its lease is refused",
    },
  },
  clocks: {
    risk: "a clock's run has another time than its flow says",
    test: "test/features/flows/run/make-run.test.ts",
    title: "makeRun() gives a run the time that its flow says",
    tries: [],
  },
  background: {
    risk: "a batch in the background goes on after its deadline, or drops elements silently",
    test: "test/features/background/http/attempt-batch.test.ts",
    title: "ends with its deadline, and says of each element that it did not come to it",
    tries: ["P1", "P6"],
  },
  agent: {
    risk: "a conversation ends at its deadline without what ran",
    test: "test/features/agent/run-agent.test.ts",
    title: "end at the request's deadline, with what is known and an answer",
    tries: ["P6"],
  },
  turns: {
    risk: "calls of one turn cut each other's time short",
    test: "test/turns/batch-calls.test.ts",
    title: "have the longest time that one of them asks for, and a call by itself asks for none",
    tries: ["P6"],
  },
  MCP: {
    apart: "a call over MCP has no deadline of its own; a batch that it brings has its field",
    file: "src/features/mcp/http/answer-tool-call.ts",
    line: "const ran = await runToolCalls([{ name, args: ok(args) }], execution, { bodyBytes, copies: 3 }).finally(",
  },
  tasks: {
    apart: "a task has the time for which its job or call is kept",
    file: "src/features/mcp/tasks/task.ts",
    line: "ttlMs: goneAt - createdAt,",
  },
  "sign-in": {
    apart: "a token's end is looked at before its call, not during it",
    file: "src/features/sign-in/http/check-token.ts",
    line: "return this.stores !== null && hasTokenForm(key) && resourceAt(url) !== null;",
  },
  subjects: {
    apart: "a subject says whose account is used, and no time",
    file: "src/core/contract/gate/caller.ts",
    line: "export const SUBJECT = ",
  },
  connections: {
    risk: "a provider that hangs holds its call beyond the batch's deadline",
    test: "test/pairs/deadline.test.ts",
    title:
      "A refresh that hangs holds no batch beyond its deadline: the read goes on as a job of that account",
    tries: ["P2", "P6"],
  },
  park: {
    risk: "an account that is connected before a long batch ends is never noticed",
    test: "test/features/connections/http/park-doors.test.ts",
    title: "runs what was recorded after the account was connected: the batch took longer than the person",
    tries: [],
  },
  "made keys": {
    apart: "a key's end is looked at before its batch, not during it",
    file: "src/features/keys/http/check-key.ts",
    line: "async identify(key: string): Promise<Result<Caller | null, Refusal>> {",
  },
  runs: {
    risk: "a run says that a write failed which was under way at the deadline",
    test: "test/pairs/deadline.test.ts",
    title: "A write that is under way at the deadline is unknown in its run, and a rerun asks about it",
    tries: ["T56"],
  },
  rerun: {
    risk: "a rerun sends again what was under way at the deadline",
    test: "test/pairs/deadline.test.ts",
    title: "A write that is under way at the deadline is unknown in its run, and a rerun asks about it",
    tries: ["T56"],
  },
  undo: {
    risk: "a write that ends after the deadline of its undone batch stays",
    test: "test/features/undo/http/undo-batch.test.ts",
    title: "a write that is under way at the deadline is taken back once it has ended",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a delivery whose body a flow makes is given up before the flow's time",
    test: "test/features/endpoints/objects/deliverer.test.ts",
    title: "An attempt whose body a flow makes has the time of the flow besides its own",
    tries: [],
  },
  portal: {
    apart: "what a portal link asks for runs no actions",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    apart: "what ended late is counted as it ended",
    file: "src/features/operator/tally-book.ts",
    line: "book.addAction(tenant, {",
  },
  "export and restore": {
    apart: "an export reads what is kept, whatever its deadline was",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    apart: "what comes late is refused by when its request began, whatever its deadline was",
    file: "src/cloudflare/durable/tenant-gate.ts",
    line: 'if (begunAt < this.#erasedAt && method !== "erase") return null;',
  },
  "vault rotation": {
    apart: "sealing has no deadline: a request that stops early is sent again",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
