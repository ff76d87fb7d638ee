import type { RowOf } from "../matrix.ts";

export const row: RowOf<"turns"> = {
  MCP: {
    risk: "a tool's output is read as what Volley says of a call, by one of the two",
    test: "test/turns/write-reply.test.ts",
    title: "T17 T32 no output whatever reads as what Volley says of a call",
    tries: ["T17", "T32"],
  },
  tasks: {
    risk: "the end of a call that waited says that nothing happened, though it may have been approved",
    test: "test/turns/decide-reply.test.ts",
    title: "says of a question that is not kept any more that nothing is known: it may have been approved",
    tries: [],
  },
  "sign-in": {
    risk: "a program's token sends turns to paths beside /mcp",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  subjects: {
    risk: "a turn uses another person's account",
    test: "test/features/connections/http/doors.test.ts",
    title: '"a provider\'s turn":',
    tries: ["T52"],
  },
  connections: {
    risk: "a model names a subject in its call, and has that account",
    test: "test/features/connections/http/doors.test.ts",
    title: "T52 is an unknown field of a model's batch, and of a call",
    tries: ["T52"],
  },
  park: {
    risk: "a model learns of fields by which its calls would wait for accounts",
    test: "test/features/connections/http/doors.test.ts",
    title: "T52 stands in no schema that a model sees",
    tries: ["T52"],
  },
  "made keys": {
    risk: "a turn calls what its made key may not, or goes on when that is revoked",
    test: "test/pairs/model-doors.test.ts",
    title: "T01 T02 by a made key calls what that key may alone, and nothing once that is revoked",
    tries: ["T01", "T02"],
  },
  runs: {
    risk: "a turn's run is taken for a plain batch",
    test: "test/features/runs/http/runs.test.ts",
    title: "%s: its run says so (%s)",
    tries: [],
  },
  rerun: {
    risk: "the rerun of a turn sends a call again that succeeded",
    test: "test/pairs/again.test.ts",
    title: "%s is run again without what it has done",
    tries: ["T56"],
  },
  undo: {
    risk: "the reply to a turn that was undone says that its writes stand",
    test: "test/pairs/again.test.ts",
    title: "a provider's turn that is undone says so in its reply",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a turn that comes again publishes its event a second time",
    test: "test/pairs/model-doors.test.ts",
    title: "publishes its event once where it comes again under its key",
    tries: ["T42"],
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no turn",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a turn counts as no run, or as one for each call",
    test: "test/pairs/model-doors.test.ts",
    title: "is one run of its tenant in the overview of who operates",
    tries: [],
  },
  "export and restore": {
    apart: "a turn keeps nothing but its run; an export asks the parts of features for theirs",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a turn goes on when its tenant is gone, and leaves rows",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '"a provider\'s turn",',
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a turn keeps nothing; what is sealed has an owner and a use, and no turn is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
