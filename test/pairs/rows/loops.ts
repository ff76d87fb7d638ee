import type { RowOf } from "../matrix.ts";

export const row: RowOf<"loops"> = {
  approvals: {
    risk: "a loop asks once for each element, or for none",
    test: "test/core/run/execute/executor-confirmations.test.ts",
    title: "parks a loop as one action, with its elements looked up",
    tries: ["T50"],
  },
  links: {
    risk: "the page of a link says one account, and a loop uses another",
    test: "test/features/connections/http/accounts.test.ts",
    title:
      "says the one that was chosen, of a loop and of what follows too, to keys and on the page of a link",
    tries: ["T57"],
  },
  remembered: {
    risk: "a yes to two elements lets a third through",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "is to each element of a loop",
    tries: ["T50"],
  },
  "added tools": {
    risk: "a loop sends its whole list to a tool that is data",
    test: "test/pairs/loops.test.ts",
    title: "A loop over a tool that is data sends each element in a request of its own",
    tries: ["P1"],
  },
  flows: {
    risk: "a run that is killed goes on over another list, and elements are lost or sent twice",
    test: "test/features/flows/run/run-job.test.ts",
    title: "goes over the list as it was when it began, though that has changed since",
    tries: ["P4"],
  },
  hooks: {
    risk: "a delivery's loop is bound to the elements that a caller may have",
    test: "test/harness/background-page.test.ts",
    title: "takes a loop of 60 elements; the same flow asked for by a caller does not",
    tries: ["P6"],
  },
  clocks: {
    risk: "a clock's run that is tried again sends elements again that were done",
    test: "test/pairs/loops.test.ts",
    title: "The loop of a clock's run goes on with the element that was refused, and sends no other again",
    tries: ["P4"],
  },
  background: {
    risk: "results of a long loop are lost between two pages",
    test: "test/harness/background.test.ts",
    title: "has the results of a long loop on several pages",
    tries: ["P1"],
    also: { F31: "loses and doubles no" },
  },
  agent: {
    risk: "a model is told one result for a whole loop",
    test: "test/pairs/loops.test.ts",
    title: "A loop at %s calls its tool once for each element, and answers them in their order",
    tries: ["P1"],
  },
  turns: {
    risk: "a loop over another action of its call runs over one of another call",
    test: "test/turns/batch-calls.test.ts",
    title: "keep their ids where one of them has %s to an id of its own batch",
    tries: ["P1"],
  },
  MCP: {
    risk: "a client over MCP is told one element of a loop",
    test: "test/pairs/loops.test.ts",
    title: "A loop at %s calls its tool once for each element, and answers them in their order",
    tries: ["P1"],
  },
  tasks: {
    risk: "a task completes before its loop is over, or without its elements",
    test: "test/pairs/loops.test.ts",
    title: "A loop at %s calls its tool once for each element, and answers them in their order",
    tries: ["P1"],
  },
  "sign-in": {
    risk: "a token of reads writes inside a loop",
    test: "test/features/mcp/http/may-write.test.ts",
    title: "mayWrite() of %s",
    tries: ["T02"],
  },
  subjects: {
    risk: "a question about a loop shows another account than its elements use",
    test: "test/pairs/remembered.test.ts",
    title: "is to each element of a subject's loop, and to none of another subject's",
    tries: ["T50", "T52"],
  },
  connections: {
    risk: "a loop that misses its account leaves links in its run",
    test: "test/features/runs/http/connect-links.test.ts",
    title: "T52 The link by which a person connects an account is in the answer alone: of %s no run keeps it",
    tries: ["T52"],
  },
  park: {
    risk: "a loop that waits for an account asks once for each element",
    test: "test/features/connections/http/park-doors.test.ts",
    title:
      "makes one question of a loop that a person's batch could have, and none of a longer one: its elements fail",
    tries: ["P6"],
  },
  "made keys": {
    apart: "who asks is known before a loop has elements",
    file: "src/features/keys/http/check-key.ts",
    line: "async identify(key: string): Promise<Result<Caller | null, Refusal>> {",
  },
  runs: {
    risk: "a run keeps no line of a loop's elements, or too many",
    test: "test/features/runs/http/runs.test.ts",
    title: "has eight KiB at most, and of a loop the lines of its elements",
    tries: ["P6"],
  },
  rerun: {
    risk: "a rerun goes over another list than its run, and takes elements for done that never were",
    test: "test/features/runs/http/job-reruns.test.ts",
    title:
      "goes on with a loop over the list that it went over before, and asks about all of it where that is not kept",
    tries: ["T56"],
  },
  undo: {
    risk: "the elements that were done before one failed stay",
    test: "test/features/undo/http/undo-batch.test.ts",
    title: "each element of a loop that succeeded is an entry, and the loop is undone when all of them are",
    tries: ["P9"],
    also: { F36: "the jobs of a loop that were recorded before a kill" },
  },
  endpoints: {
    risk: "a question about a loop of events counts the receivers of one",
    test: "test/features/endpoints/http/reach.test.ts",
    title: "of a loop that is asked about, for all its events together",
    tries: [],
  },
  portal: {
    apart: "a portal link sends no actions",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    apart: "a loop is counted as one action",
    file: "src/features/operator/tally-book.ts",
    line: "book.addAction(tenant, {",
  },
  "export and restore": {
    apart: "a loop is kept as an action of its run",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "the elements of a loop go on writing for a tenant that is gone",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: "F37 nothing is kept of %s that goes on when its tenant is deleted",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "nothing of a loop is sealed",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
