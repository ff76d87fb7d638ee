import { beforeAll, describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { usage } from "../../../../src/features/usage/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { API, openConnections } from "./connection-world.ts";
import { base, mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const write = {
  ...base,
  isWrite: true,
  connection: "acme",
} as const;
const later = defineTool({
  ...write,
  name: "later",
  actions: ["send"],
  execution: "fire-and-forget",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});
const asked = defineTool({
  ...write,
  name: "asked",
  actions: ["delete"],
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

const RIGHTS = ["approve", "manage_connections"];

/** Open a Volley in which something of Ada's has run in every way, and a key that acts for each person. */
async function openWithKeys() {
  const world = await openConnections({
    tools: [mailbox, later, asked],
    features: [addedTools(), flows(), background(), runs(), usage()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "test", flags: [...RIGHTS, "manage_tools"] },
        "ada-key": { name: "ada", tenant: "test", flags: RIGHTS, subject: "ada" },
        "grace-key": { name: "grace", tenant: "test", flags: RIGHTS, subject: "grace" },
      }),
    },
  });
  const { send, volley } = world;
  const [ada, grace] = ["ada", "grace"].map((name) => ({ authorization: `Bearer ${name}-key` }));
  const connection = await world.connect("ada", "ada@acme.dev");
  const run = async (actions: readonly object[], more: object = {}) =>
    (await send("POST", "/v1/execute_actions", { actions, ...more }, ada)).body;
  const batch = await run([{ tool: "mailbox" }, { tool: "later" }, { tool: "asked" }]);
  const inBackground = await run([{ tool: "mailbox" }], { background: true });
  const decided = await run([{ tool: "asked" }]);
  await send("POST", `/v1/confirmations/${decided.results[0].confirmation.id}`, { decision: "approve" }, ada);
  await volley.advance(5_000);
  const ids = {
    connection,
    run: batch.batch_id as string,
    job: batch.results[1].job_id as string,
    backgroundJob: inBackground.job_id as string,
    question: batch.results[2].confirmation.id as string,
    decided: decided.results[0].confirmation.id as string,
  };
  return { ...world, ada, grace, ids };
}

type World = Awaited<ReturnType<typeof openWithKeys>>;

describe("A key that acts for one subject", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWithKeys();
  });

  const ONE: readonly (readonly [string, (ids: World["ids"]) => string])[] = [
    ["a connection", ({ connection }) => `/v1/connections/${connection}`],
    ["a run", ({ run }) => `/v1/runs/${run}`],
    ["the run of a batch in the background", ({ backgroundJob }) => `/v1/runs/${backgroundJob}`],
    ["a job", ({ job }) => `/v1/jobs/${job}`],
    ["a batch in the background", ({ backgroundJob }) => `/v1/jobs/${backgroundJob}`],
    ["the results of that", ({ backgroundJob }) => `/v1/jobs/${backgroundJob}/results`],
    ["a question", ({ question }) => `/v1/confirmations/${question}`],
    ["a question that was answered", ({ decided }) => `/v1/confirmations/${decided}`],
  ];
  test.each(ONE)("T52 is told of its own, and knows nothing of another's: %s", async (what, pathOf) => {
    const { send, ada, grace, ids } = world;
    const isRun = what.startsWith("the run");
    if (!isRun) expect((await send("GET", pathOf(ids), undefined, ada)).status).toBe(200);
    const other = await send("GET", pathOf(ids), undefined, grace);
    expect(other.status).toBe(404);
    expect(JSON.stringify(other.body)).not.toContain("ada@acme.dev");
  });

  test.each([
    ["/v1/runs", "runs"],
    ["/v1/jobs", "jobs"],
    ["/v1/confirmations", "confirmations"],
    ["/v1/connections", "connections"],
  ])("T52 lists its own alone: %s", async (path, field) => {
    const { send, ada, grace } = world;
    expect((await send("GET", path, undefined, ada)).body[field].length).toBeGreaterThan(0);
    expect((await send("GET", path, undefined, grace)).body[field]).toEqual([]);
  });

  test.each([
    ["POST", ({ question }: World["ids"]) => `/v1/confirmations/${question}`, { decision: "approve" }],
    ["POST", ({ question }: World["ids"]) => `/v1/confirmations/${question}`, { decision: "reject" }],
    ["POST", ({ question }: World["ids"]) => `/v1/confirmations/${question}/link`, { name: "Grace" }],
    ["POST", ({ run }: World["ids"]) => `/v1/runs/${run}/rerun`, {}],
    ["POST", ({ job }: World["ids"]) => `/v1/jobs/${job}/cancel`, undefined],
    ["POST", ({ job }: World["ids"]) => `/v1/jobs/${job}/redrive`, undefined],
  ])("T52 changes nothing of another's: %s %s", async (method, pathOf, body) => {
    const { send, grace, ids } = world;
    expect((await send(method, pathOf(ids), body, grace)).status).toBe(404);
  });

  test("T52 ends and confirms no connection of another's by its id, and its own by that", async () => {
    const { send, ada, grace, ids } = world;
    const path = `/v1/connections/${ids.connection}`;
    expect((await send("DELETE", path, undefined, grace)).status).toBe(404);
    for (const subject of ["grace", "ada"]) {
      const said = { code: "x".repeat(43), subject };
      const confirmed = await send("POST", `${path}/confirm`, said, grace);
      expect(confirmed.status).toBe(subject === "grace" ? 404 : 403);
    }
    const actions = [{ tool: "mailbox" }];
    const { body } = await send("POST", "/v1/execute_actions", { actions }, ada);
    expect(body.results[0]).toMatchObject({ status: "success", data: { mailbox: "ada@acme.dev" } });
    const begun = { connector: "acme", subject: "ada", name: "work" };
    const { body: own } = await send("POST", "/v1/connections", begun, ada);
    const ownPath = `/v1/connections/${own.connection_id}`;
    expect((await send("DELETE", ownPath, undefined, grace)).status).toBe(404);
    expect((await send("DELETE", ownPath, undefined, ada)).status).toBe(204);
  });

  test("T52 withdraws no question of another's when it cancels runs", async () => {
    const { send, ada, grace, ids } = world;
    expect(
      (await send("POST", "/v1/runs/cancel", { since: "2020-01-01T00:00:00Z" }, grace)).body,
    ).toMatchObject({ runs: 0 });
    const { body } = await send("GET", `/v1/confirmations/${ids.question}`, undefined, ada);
    expect(body.status).toBe("pending");
  });

  test("T52 counts its own questions alone", async () => {
    const { send, ada, grace } = world;
    const waiting = async (headers: typeof ada) =>
      (await send("GET", "/v1/usage", undefined, headers)).body.confirmations;
    expect(await waiting(ada)).toMatchObject({ waiting: 1 });
    expect(await waiting(grace)).toEqual({ waiting: 0, oldest_at: null });
  });
});

trial(
  "T52 A question without a subject is none for a key that acts for one, and a key without one decides all, each with its own account",
  async () => {
    const { send, ada, grace, ids } = await openWithKeys();
    const { body } = await send("POST", "/v1/execute_actions", { actions: [{ tool: "asked" }] });
    const ofNone = body.results[0].confirmation.id as string;
    for (const headers of [ada, grace])
      expect(
        (await send("POST", `/v1/confirmations/${ofNone}`, { decision: "reject" }, headers)).status,
      ).toBe(404);
    const yes = await send("POST", `/v1/confirmations/${ids.question}`, { decision: "approve" });
    expect(yes.body.results[0]).toMatchObject({ status: "success", data: { mailbox: "ada@acme.dev" } });
    expect((await send("POST", `/v1/confirmations/${ofNone}`, { decision: "reject" })).status).toBe(200);
  },
);
