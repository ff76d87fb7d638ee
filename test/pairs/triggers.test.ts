import { describe, expect, test } from "vitest";

import { API } from "../features/connections/http/connection-world.ts";
import { speakTo } from "../support/mcp-client.ts";
import { CLOCK, HOOK, HOUR, openTriggers, STORES } from "./trigger-world.ts";
import { trial } from "../support/trial.ts";

const MAIL = {
  summary: "Read the mailbox",
  input_schema: { type: "object" },
  actions: [{ id: "mail", tool: "mailbox", args: {} }],
  answer: { $ref: "mail#/mailbox" },
};

describe("What a delivery starts", () => {
  test("waits for no account: its run fails where that is missing, and the delivery that comes again runs it", async () => {
    const { keep, deliver, connect, get, volley } = await openTriggers();
    await keep("mail", { ...MAIL, triggers: { webhook: { ...HOOK.webhook, subject: "/of" } } });
    const run = async () => {
      const { job_id: id } = (await deliver("mail", { of: "ada" })).body;
      await volley.advance(60_000);
      return get(`/v1/jobs/${id}`);
    };
    expect((await run()).envelope.results).toMatchObject([{ error: { code: "CONNECTION_REQUIRED" } }]);
    expect((await get("/v1/confirmations")).confirmations).toEqual([]);
    await connect("ada", "ada@acme.dev");
    expect(await run()).toMatchObject({ status: "succeeded", data: "ada@acme.dev" });
  });
});

trial("T52 what a clock starts uses no subject's account, and makes nobody a link", async () => {
  const { keep, connect, get, volley } = await openTriggers();
  await connect("ada", "ada@acme.dev");
  await keep("mail", { ...MAIL, triggers: CLOCK });
  await volley.advance(HOUR);
  const { jobs } = await get("/v1/jobs");
  expect(jobs).toMatchObject([{ status: "dead" }]);
  const job = JSON.stringify(await get(`/v1/jobs/${jobs[0].job_id}`));
  expect(job).toContain("CONNECTION_REQUIRED");
  expect(job).not.toMatch(/connect_url|@acme/);
});

test("P8: T10 a flow's action asks no host that its tool does not name, and its account's token follows no redirect to another", async () => {
  const asked: (string | undefined)[] = [];
  const to = (url: string) => new Response(null, { status: 302, headers: { location: url } });
  const { keep, connect, send, volley } = await openTriggers({
    routes: {
      [`GET ${API}/mailbox`]: () =>
        to(asked.length === 0 ? "https://other.acme.dev/mail" : "https://evil.dev/mail"),
      "GET https://other.acme.dev/mail": ({ headers }) => ({ n: asked.push(headers["authorization"]) }),
    },
  });
  await connect("ada", "ada@acme.dev");
  await keep("mail", { ...MAIL, answer: { $ref: "mail#" } });
  const run = async () =>
    (await send("POST", "/v1/flows/mail/run", { input: {}, subject: "ada" })).body.results[0];
  expect([(await run()).status, asked]).toEqual(["success", [undefined]]);
  expect((await run()).error.code).toBe("EGRESS_DENIED");
  expect(volley.requests.filter(({ url }) => url.includes("evil"))).toEqual([]);
});

describe.each([
  ["A delivery", HOOK],
  ["A clock", CLOCK],
])("%s", (_, triggers) => {
  const begin = async (world: Awaited<ReturnType<typeof openTriggers>>, id = "m1") => {
    if (triggers === HOOK) await world.deliver("stores", {}, id);
    await world.volley.advance(HOUR);
  };

  trial("starts nothing any more for a tenant that was deleted", async () => {
    const world = await openTriggers();
    const { keep, send, stored } = world;
    await keep("stores", { ...STORES, triggers });
    await begin(world);
    expect(stored).toHaveLength(1);
    await send("POST", "/v1/tenant/delete", { tenant: "acme" });
    await begin(world, "m2");
    expect(stored).toHaveLength(1);
  });

  trial("starts the flow that an export has brought back, and the export has no secret of it", async () => {
    const world = await openTriggers();
    const { keep, send, get, stored } = world;
    await keep("stores", { ...STORES, triggers });
    const exported = await get("/v1/export");
    expect(JSON.stringify(exported)).not.toContain("whsec_");
    await send("POST", "/v1/tenant/delete", { tenant: "acme" });
    await world.volley.advance(6_000);
    const [{ name, ...flow }] = exported.flows;
    await keep(name, flow);
    await begin(world);
    expect(stored).toHaveLength(1);
  });

  trial(
    "counts in the overview of who operates once as a run and once as an error, and its job not besides",
    async () => {
      const world = await openTriggers();
      await world.keep("stores", { ...STORES, triggers });
      world.statuses["kept"] = 400;
      await begin(world);
      const { tenants } = await world.get("/v1/operator/overview", "root");
      expect(tenants).toMatchObject([{ tenant: "acme", runs: 1, actions: 1, error_rate: 1, dead: {} }]);
      expect(tenants[0].tools).toMatchObject([{ tool: "store_it", calls: 1, error_rate: 1 }]);
    },
  );

  trial(
    "tells a tenant's endpoint of each attempt that failed, once, and of no failed job where one succeeds",
    async () => {
      const told: { readonly type: string; readonly data: { readonly run_id: string } }[] = [];
      const world = await openTriggers({
        routes: {
          "POST https://shop.example.com/*": (sent) => {
            told.push(sent.json() as (typeof told)[number]);
            return {};
          },
        },
      });
      const { send, keep, statuses } = world;
      await send("PUT", "/v1/endpoints/watch", {
        url: "https://shop.example.com/hooks",
        events: ["volley.*"],
      });
      await keep("stores", { ...STORES, triggers });
      let attempts = 0;
      Object.defineProperty(statuses, "kept", { get: () => ((attempts += 1) < 3 ? 429 : 200) });
      await begin(world);
      expect(told.map(({ type }) => type)).toEqual(["volley.run.failed", "volley.run.failed"]);
      expect(new Set(told.map(({ data }) => data.run_id)).size).toBe(2);
    },
  );

  trial("goes on with what its flow may call when the key that kept the flow has ended", async () => {
    const world = await openTriggers();
    const { send, as, keep, stored } = world;
    const made = await send("POST", "/v1/keys", {
      name: "made",
      tools: ["flows", "store_it"],
      flags: ["manage_tools"],
    });
    await keep("stores", { ...STORES, triggers }, made.body.key);
    expect((await send("DELETE", "/v1/keys/made")).status).toBe(204);
    await world.volley.advance(60_000);
    expect((await send("GET", "/v1/flows", undefined, as(made.body.key))).status).toBe(401);
    await begin(world);
    expect(stored).toHaveLength(1);
  });

  test("T47 finds no tool that the made key which kept its flow may not call", async () => {
    const world = await openTriggers();
    const { send, keep, get } = world;
    const rights = { tools: ["flows", "mailbox"], flags: ["manage_tools"] };
    const { key } = (await send("POST", "/v1/keys", { name: "made", ...rights })).body;
    const actions = [{ id: "found", tool: "discover_tools", args: { limit: 25 } }];
    await keep("stores", { ...STORES, actions, answer: { $ref: "found#/tools" }, triggers }, key);
    await begin(world);
    const { data } = await get(`/v1/jobs/${(await get("/v1/jobs")).jobs[0].job_id}`);
    expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["mailbox", "stores"]);
  });

  trial("T49 leaves no task to a program that may not call its flow", async () => {
    const world = await openTriggers();
    await world.keep("stores", { ...STORES, triggers });
    await begin(world);
    const [{ job_id: taskId }] = (await world.get("/v1/jobs")).jobs;
    const ask = speakTo(world.volley);
    const look = async (key: string) => (await ask("tasks/get", { taskId }, { key })).body;
    expect((await look("few")).error.code).toBe(-32_602);
    expect((await look("test-key")).result.status).toBe("completed");
  });
});
