import type { RowOf } from "../matrix.ts";

export const row: RowOf<"remembered"> = {
  "added tools": {
    risk: "a yes holds for a tool that was declared otherwise since",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "is forgotten when its tool is declared otherwise, and stays forgotten",
    tries: ["T57"],
    also: { F10: "a runtime that is killed while two features write" },
  },
  flows: {
    risk: "a yes to a flow holds although a tool inside is another",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "lets a flow through that is called as a tool, until a tool that it calls is declared otherwise",
    tries: ["T57"],
  },
  hooks: {
    risk: "a yes to deliveries of one flow holds for another flow",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "is to deliveries of that flow with these arguments, not to another flow, a key or a clock",
    tries: ["T50"],
  },
  clocks: {
    risk: "a yes to a clock's runs lets a stranger's delivery through",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "is to the runs that a clock starts, not to a delivery",
    tries: ["T50"],
  },
  background: {
    risk: "a batch in the background waits although its yes is remembered",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "lets a background batch and a rerun through",
    tries: [],
  },
  agent: {
    risk: "a conversation ends to ask what a person said yes to for the day",
    test: "test/pairs/remembered.test.ts",
    title: "holds at %s, for the same call alone",
    tries: ["T50"],
  },
  turns: {
    risk: "a provider's turn passes by another call's yes",
    test: "test/pairs/remembered.test.ts",
    title: "holds at %s, for the same call alone",
    tries: ["T50"],
  },
  MCP: {
    risk: "a call over MCP asks again, or passes with other arguments",
    test: "test/pairs/remembered.test.ts",
    title: "holds at %s, for the same call alone",
    tries: ["T50"],
  },
  tasks: {
    risk: "a client with tasks waits for a question that was answered before",
    test: "test/pairs/remembered.test.ts",
    title: "holds at %s, for the same call alone",
    tries: ["T50"],
  },
  "sign-in": {
    risk: "a program that signed in lists or ends what its key's people said yes to",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  subjects: {
    risk: "a yes to one subject's calls lets another's through",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "is to that subject's calls, not to another's or to those of none",
    tries: ["T52"],
  },
  connections: {
    risk: "a yes to one account holds for another that takes its place",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "is forgotten where another one is connected, and stays forgotten when the first is back",
    tries: ["T57"],
  },
  park: {
    risk: "a remembered yes stands for the account that is missing",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "is not used where the account is gone",
    tries: ["T57"],
  },
  "made keys": {
    risk: "a yes outlives the key that gave it",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "ends with the key that gave it, or with that key's right to decide",
    tries: ["T50"],
  },
  runs: {
    risk: "the run of what a remembered yes let through waits for a decision",
    test: "test/pairs/remembered.test.ts",
    title: "leaves a run that has succeeded, and that waits for no decision",
    tries: [],
  },
  rerun: {
    risk: "a rerun sends a write in doubt by a remembered yes",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "does not stand for a person where it is not known whether a write was sent before",
    tries: ["T56"],
  },
  undo: {
    risk: "a remembered yes sends a compensation that asks",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "lets no compensation through that asks: an undo has its own question",
    tries: ["T50"],
  },
  endpoints: {
    apart: "endpoints are told of questions, and what a remembered yes lets through asks none",
    file: "src/features/confirmations/objects/confirmations-part.ts",
    line: "tell(question.createdAt, () => toRequestedEvent(tenant, question));",
  },
  portal: {
    apart: "a portal link lists and gives no yes",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    apart: "what a remembered yes lets through is counted as any call",
    file: "src/features/operator/tally-book.ts",
    line: "book.addAction(tenant, {",
  },
  "export and restore": {
    risk: "a restore puts a person's yes back that was withdrawn since",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "is exported for a key that decides, is named by a restore, and goes with its tenant",
    tries: ["F39"],
  },
  deletion: {
    risk: "a yes is left to the next tenant of that name",
    test: "test/features/confirmations/http/remembered.test.ts",
    title: "is exported for a key that decides, is named by a restore, and goes with its tenant",
    tries: ["T03"],
  },
  "vault rotation": {
    apart: "a yes keeps the ids of accounts and no token",
    file: "src/features/connections/http/reseal.ts",
    line: "await shards(shard).reseal(from)",
  },
};
