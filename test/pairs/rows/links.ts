import type { RowOf } from "../matrix.ts";

export const row: RowOf<"links"> = {
  remembered: {
    risk: "a person with a link gives a yes for all later calls",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "is refused from a link, and the question waits on",
    tries: ["T50"],
  },
  "added tools": {
    risk: "a link says yes to a tool that was replaced since",
    test: "test/pairs/links.test.ts",
    title: "A link's yes to a tool that was replaced since runs nothing, and its page says so",
    tries: ["T57"],
  },
  flows: {
    risk: "a link decides a flow that was kept anew since",
    test: "test/pairs/links.test.ts",
    title: "A link's yes to a flow that was kept otherwise since runs nothing",
    tries: ["T57"],
  },
  hooks: {
    risk: "a delivery's question has no link, or its yes runs as the sender",
    test: "test/pairs/links.test.ts",
    title: "A yes by a link runs what %s asked, and the question says what began it",
    tries: [],
  },
  clocks: {
    risk: "a clock's question has no link, because no key asked it",
    test: "test/pairs/links.test.ts",
    title: "A yes by a link runs what %s asked, and the question says what began it",
    tries: [],
  },
  background: {
    risk: "who reads a batch in the background finds the link of its question",
    test: "test/pairs/links.test.ts",
    title: "A batch in the background shows no link of its question, and a yes by one runs what it asked",
    tries: ["T50"],
  },
  agent: {
    risk: "a model is told the link, and decides by it",
    test: "test/harness/approval-links-stay.test.ts",
    title: "T50 no door that a model has shows the link of a question, or its token",
    tries: ["T50"],
  },
  turns: {
    risk: "the reply to a provider's call has the link",
    test: "test/harness/approval-links-stay.test.ts",
    title: "T50 no door that a model has shows the link of a question, or its token",
    tries: ["T50"],
  },
  MCP: {
    risk: "a result over MCP has the link instead of the page",
    test: "test/harness/approval-links-stay.test.ts",
    title: "T50 no door that a model has shows the link of a question, or its token",
    tries: ["T50"],
  },
  tasks: {
    risk: "a task that requires input has the link",
    test: "test/harness/approval-links-stay.test.ts",
    title: "T50 no door that a model has shows the link of a question, or its token",
    tries: ["T50"],
  },
  "sign-in": {
    risk: "a program that signed in makes links for its key",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  subjects: {
    risk: "a key of one person makes a link to another's question",
    test: "test/features/connections/http/subject-keys.test.ts",
    title: "T52 changes nothing of another's: %s %s",
    tries: ["T52"],
  },
  connections: {
    risk: "a link's yes uses an account that its page did not show",
    test: "test/features/connections/http/asked-accounts.test.ts",
    title: "stands on the page of a link after a yes was refused for it, and the next yes there counts",
    tries: ["T57"],
  },
  park: {
    risk: "a link is used up by a yes that came before the account",
    test: "test/cloudflare/approval-links.test.ts",
    title: "a link is not used up by a yes that was not admitted: it says the next one",
    tries: [],
  },
  "made keys": {
    risk: "links of a key that was rotated away go on",
    test: "test/features/confirmations/http/links.test.ts",
    title: "ends with the very key: one that was rotated away has no links either",
    tries: ["T59"],
  },
  runs: {
    risk: "a run that a link began is said to be a key's",
    test: "test/features/runs/console/runs.test.ts",
    title: "a run that a person's link began is said to be so, and is no key's",
    tries: [],
  },
  rerun: {
    risk: "who decides about a rerun by a link is not told that it may have happened",
    test: "test/features/runs/http/rerun-chains.test.ts",
    title:
      "tells the person what may have taken effect, where the question and its reach are shown, and nothing of a question that had a no",
    tries: ["T56"],
  },
  undo: {
    apart: "an undo withdraws the question, and the page of its link says so",
    file: "src/features/confirmations/http/answer-link.ts",
    line: 'if (status !== "pending") {',
  },
  endpoints: {
    risk: "an endpoint is told the link of a question",
    test: "test/features/endpoints/http/own-events.test.ts",
    title: "is told of a question and its answer, without the link of a person",
    tries: ["T50"],
  },
  portal: {
    apart: "a token of one is none of the other: each has a form of its own",
    file: "src/features/endpoints/http/portal-links.ts",
    line: "const TOKEN = /^vpl_([A-Za-z0-9_.-]{1,64})_([0-9a-f]{64})$/;",
  },
  operator: {
    apart: "links are not counted; the questions behind them are",
    file: "src/features/operator/tally-book.ts",
    line: "book.addAction(tenant, {",
  },
  "export and restore": {
    apart: "no part exports links, of which digests alone are kept",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a link opens a question of a tenant that is gone",
    test: "test/pairs/links.test.ts",
    title: "A question of a tenant that was deleted is gone for keys, and its link opens nothing",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "of a link its digest is kept, which is not sealed",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
