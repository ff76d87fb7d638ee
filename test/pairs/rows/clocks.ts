import type { RowOf } from "../matrix.ts";

export const row: RowOf<"clocks"> = {
  background: {
    risk: "a clock whose times pass while nothing runs begins as many runs at once",
    test: "test/cloudflare/clock.test.ts",
    title: "a year of minutes that were missed is one run",
    tries: ["F14", "F22"],
  },
  agent: {
    apart: "a clock starts a kept flow and nothing else; a conversation needs a key",
    file: "src/features/agent/index.ts",
    line: 'routes: [{ for: "any key", paths: MODEL_ENDPOINTS }],',
  },
  turns: {
    apart: "a clock starts a kept flow and nothing else; a turn is sent by a caller",
    file: "src/features/flows/objects/flow-clocks.ts",
    line: "if (tool === null || !isFlow(tool) || runs.causedBy(now, of) !== null) return keep();",
  },
  MCP: {
    apart: "a clock starts a kept flow and nothing else, and no client of MCP waits for it",
    file: "src/features/flows/objects/flow-clocks.ts",
    line: "if (tool === null || !isFlow(tool) || runs.causedBy(now, of) !== null) return keep();",
  },
  tasks: {
    risk: "a program polls the run of a clock that it may not see",
    test: "test/pairs/triggers.test.ts",
    title: "T49 leaves no task to a program that may not call its flow",
    tries: ["T49"],
  },
  "sign-in": {
    apart: "a token is good at /mcp alone, where nothing is kept that has a clock",
    file: "src/features/sign-in/http/check-token.ts",
    line: "return /^https?:\\/\\/[^/?#]+\\/mcp(?=$|[?#])/.exec(url)?.[0] ?? null;",
  },
  subjects: {
    apart: "a clock's run names no subject",
    file: "src/features/flows/objects/flow-clocks.ts",
    line: 'trigger: "cron",',
  },
  connections: {
    risk: "a clock's run uses the account of some person, or makes links that reach no person",
    test: "test/pairs/triggers.test.ts",
    title: "T52 what a clock starts uses no subject's account, and makes nobody a link",
    tries: ["T52"],
  },
  park: {
    risk: "a run without a subject waits for an account for ever",
    test: "test/features/connections/http/park.test.ts",
    title: "parks nothing where the account is there, where no subject is named, or where it is to fail",
    tries: [],
  },
  "made keys": {
    risk: "a clock ends with the key that kept its flow, or runs with more than it might call",
    test: "test/pairs/triggers.test.ts",
    title: "goes on with what its flow may call when the key that kept the flow has ended",
    tries: [],
    also: { T47: "finds no tool that the made key which kept its flow may not call" },
  },
  runs: {
    risk: "what a clock has started is seen nowhere",
    test: "test/features/runs/http/rerun-refusals.test.ts",
    title: "A flow that a clock starts leaves a run of the source 'cron'",
    tries: [],
  },
  rerun: {
    risk: "the rerun of a clock's run forgets that it is one",
    test: "test/features/runs/http/job-reruns.test.ts",
    title: "of a clock is run again with its source, its flow and its answer",
    tries: [],
  },
  undo: {
    risk: "a clock's run that fails half way leaves what it wrote",
    test: "test/features/undo/http/undo-triggers.test.ts",
    title: "a clock's run of a flow that says so is undone where it fails",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a run that is tried again is told as a failed job, though it succeeds",
    test: "test/pairs/triggers.test.ts",
    title:
      "tells a tenant's endpoint of each attempt that failed, once, and of no failed job where one succeeds",
    tries: [],
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no clock",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a clock's run counts twice for who operates",
    test: "test/pairs/triggers.test.ts",
    title:
      "counts in the overview of who operates once as a run and once as an error, and its job not besides",
    tries: [],
  },
  "export and restore": {
    risk: "a flow that comes back from an export has lost its clock",
    test: "test/pairs/triggers.test.ts",
    title: "starts the flow that an export has brought back, and the export has no secret of it",
    tries: ["P7", "F39"],
  },
  deletion: {
    risk: "a clock starts the flow of a tenant that is gone",
    test: "test/pairs/triggers.test.ts",
    title: "starts nothing any more for a tenant that was deleted",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a clock keeps a time and a name; what is sealed has an owner and a use, and no clock is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
