import type { RowOf } from "../matrix.ts";

export const row: RowOf<"MCP"> = {
  tasks: {
    risk: "a client that does not know tasks is answered with one",
    test: "test/features/mcp/http/tasks.test.ts",
    title: "changes nothing of an answer of %s to a client that does not declare it",
    tries: [],
    also: { T34: "Polls draw from the allowance" },
  },
  "sign-in": {
    risk: "a client that knows only OAuth is not told where to sign in",
    test: "test/harness/sign-in.test.ts",
    title: "is told by the 401 of /mcp where to find out, and what it may ask for",
    tries: [],
    also: { T24: "may be a page of any origin" },
  },
  subjects: {
    risk: "a call of MCP uses another person's account",
    test: "test/features/connections/http/doors.test.ts",
    title: '"a tool of MCP":',
    tries: ["T52"],
  },
  connections: {
    risk: "a client that shows no pages hangs for an account",
    test: "test/features/mcp/http/accounts.test.ts",
    title: "is told so at once, as it was, to a client that leads its person nowhere",
    tries: [],
  },
  park: {
    risk: "a call that waited for an account runs again when its client comes back",
    test: "test/features/mcp/http/accounts.test.ts",
    title: "leads there, and comes back for its result, where the client has no tasks",
    tries: [],
  },
  "made keys": {
    risk: "a call of MCP goes beyond its made key, or on when that is revoked",
    test: "test/pairs/model-doors.test.ts",
    title: "T01 T02 by a made key calls what that key may alone, and nothing once that is revoked",
    tries: ["T01", "T02"],
  },
  runs: {
    risk: "a call of MCP leaves no run, or one of plain HTTP",
    test: "test/features/runs/http/runs.test.ts",
    title: "mcp: its run says so",
    tries: [],
  },
  rerun: {
    risk: "the rerun of a call of MCP sends again what succeeded",
    test: "test/pairs/again.test.ts",
    title: "%s is run again without what it has done",
    tries: ["T56"],
  },
  undo: {
    risk: "the answer of a call that was undone says nothing of it",
    test: "test/features/undo/http/undo-doors.test.ts",
    title: "execute_actions over MCP takes it, and its answer has what was taken back",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a call that comes again publishes its event a second time",
    test: "test/pairs/model-doors.test.ts",
    title: "publishes its event once where it comes again under its key",
    tries: ["T42"],
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and not /mcp",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a call of MCP counts as no run",
    test: "test/pairs/model-doors.test.ts",
    title: "is one run of its tenant in the overview of who operates",
    tries: [],
  },
  "export and restore": {
    apart:
      "a call that waits is a result that ends; an export asks the parts of features, which have no results",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "a call of MCP goes on when its tenant is gone, and leaves rows",
    test: "test/features/tenant-data/http/under-way.test.ts",
    title: '"a call of MCP",',
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a session of MCP keeps nothing; what is sealed has an owner and a use, and no call is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
