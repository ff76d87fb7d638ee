import type { RowOf } from "../matrix.ts";

export const row: RowOf<"hooks"> = {
  clocks: {
    risk: "a yes to what the clock starts lets a delivery's run through",
    test: "test/features/confirmations/http/remembered-bounds.test.ts",
    title: "is to the runs that a clock starts, not to a delivery",
    tries: ["T50"],
  },
  background: {
    risk: "a delivery's long loop is refused as a caller's is, or a caller's runs as long",
    test: "test/harness/background-page.test.ts",
    title: "takes a loop of 60 elements; the same flow asked for by a caller does not",
    tries: ["P6"],
  },
  agent: {
    apart: "a delivery starts a kept flow and nothing else; a conversation needs a key",
    file: "src/features/flows/http/answer-hook.ts",
    line: "const webhook = (kept as Partial<KeptFlow>).flow?.triggers?.webhook;",
  },
  turns: {
    apart: "a delivery starts a kept flow and nothing else; a provider's turn needs a key",
    file: "src/features/formats/index.ts",
    line: 'routes: [{ for: "any key", paths: TURNS }]',
  },
  MCP: {
    apart: "a delivery has no key, and no other way leads to /mcp",
    file: "src/features/mcp/index.ts",
    line: 'return [{ for: "any key", paths: [{ path: "/mcp", describe: makeMcpOperation, respond }] }];',
  },
  tasks: {
    risk: "a program polls the run of a delivery that it may not see",
    test: "test/pairs/triggers.test.ts",
    title: "T49 leaves no task to a program that may not call its flow",
    tries: ["T49"],
  },
  "sign-in": {
    apart: "a token is good at /mcp alone, and a delivery proves itself by its flow's secret",
    file: "src/features/sign-in/http/check-token.ts",
    line: "return /^https?:\\/\\/[^/?#]+\\/mcp(?=$|[?#])/.exec(url)?.[0] ?? null;",
  },
  subjects: {
    risk: "a delivery's flow runs for another person than its signed body names",
    test: "test/features/connections/http/doors.test.ts",
    title: '"a webhook\'s flow":',
    tries: ["T52"],
  },
  connections: {
    risk: "a delivery's flow uses an account that its body does not name",
    test: "test/harness/connections.test.ts",
    title: "runs a hook's flow for the subject that its verified body names",
    tries: ["T52"],
  },
  park: {
    risk: "a delivery's run waits for an account for ever, and the delivery that comes again is lost",
    test: "test/pairs/triggers.test.ts",
    title:
      "waits for no account: its run fails where that is missing, and the delivery that comes again runs it",
    tries: [],
  },
  "made keys": {
    risk: "deliveries end with the key that kept their flow, or run with more than it might call",
    test: "test/pairs/triggers.test.ts",
    title: "goes on with what its flow may call when the key that kept the flow has ended",
    tries: [],
    also: { T47: "finds no tool that the made key which kept its flow may not call" },
  },
  runs: {
    risk: "a run shows the secret of the flow that a delivery started",
    test: "test/harness/runs.test.ts",
    title: "are left by webhooks too, with the secret of the flow in none",
    tries: ["P7"],
  },
  rerun: {
    risk: "a rerun has lost the delivery's input",
    test: "test/features/runs/http/job-reruns.test.ts",
    title: "of a delivery is run again with its input and what is known of the delivery",
    tries: [],
  },
  undo: {
    risk: "a delivery's run that fails half way leaves what it wrote",
    test: "test/features/undo/http/undo-triggers.test.ts",
    title: "a delivery's run of a flow that says so is undone where it fails",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a delivery that comes twice is told to customers twice",
    test: "test/harness/example-flows.test.ts",
    title: "is told to each endpoint of its customer, signed, once however often Stripe sends it",
    tries: ["T23", "T38"],
  },
  portal: {
    apart:
      "a portal link reaches its own customer's endpoints and deliveries, and no hook; a delivery proves itself and has no link",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a delivery's run counts twice for who operates: by its actions and as a failed job",
    test: "test/pairs/triggers.test.ts",
    title:
      "counts in the overview of who operates once as a run and once as an error, and its job not besides",
    tries: [],
  },
  "export and restore": {
    risk: "an export has the secret of a hook, or the flow that comes back takes no delivery",
    test: "test/pairs/triggers.test.ts",
    title: "starts the flow that an export has brought back, and the export has no secret of it",
    tries: ["P7", "F39"],
  },
  deletion: {
    risk: "a delivery runs the flow of a tenant that is gone",
    test: "test/pairs/triggers.test.ts",
    title: "starts nothing any more for a tenant that was deleted",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "the secret of a hook is looked up by its name at each delivery, and not kept",
    file: "src/features/flows/http/answer-hook.ts",
    line: "const secret = await lookUpSecret(webhook.secret, { tenant, configured: deployment.configured });",
  },
};
