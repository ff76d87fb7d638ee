import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { HOST, openEndpoints, taken, verify, type WorldOptions } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const SECOND = 1_000;
const DECLARATION = {
  summary: "A tool of the test",
  description: "A tool of the test.",
  category: "test",
  actions: ["read"],
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
} as const;
let price = 1;
const priceOf = defineTool({
  ...DECLARATION,
  name: "price_of",
  isWrite: false,
  input: z.strictObject({ order: z.string() }),
  run: async ({ order }) => {
    if (price < 0) throw new Error("Cannot price");
    return { order, price };
  },
});
const note = defineTool({
  ...DECLARATION,
  name: "note_it",
  isWrite: true,
  input: z.strictObject({ text: z.string() }),
  run: async () => ({}),
});
const EVENT = {
  type: "object",
  properties: { type: { type: "string" }, data: { type: "object" } },
  required: ["data"],
};
const PRICED = {
  summary: "The order with its price",
  input_schema: EVENT,
  actions: [{ id: "priced", tool: "price_of", args: { order: { $ref: "input#/data/order_id" } } }],
  answer: {
    kind: { $ref: "input#/type" },
    order: { $ref: "priced#/order" },
    price: { $ref: "priced#/price" },
  },
};
const NOTED = { ...PRICED, actions: [{ id: "priced", tool: "note_it", args: { text: "x" } }], answer: {} };

async function openVia(more: WorldOptions = {}, answer = taken) {
  price = 1;
  const world = await openEndpoints(answer, {
    tools: [priceOf, note],
    features: [confirmations(), flows(), runs()],
    ...more,
  });
  const keep = async (name: string, flow: object) => {
    const kept = await world.send("PUT", `/v1/flows/${name}`, flow);
    expect(kept.status, JSON.stringify(kept.body)).toBeLessThan(300);
  };
  return { ...world, keep };
}

describe("An endpoint with `via`", () => {
  test("gets the answer of that flow as its body, signed, and the event is the flow's input", async () => {
    const { put, keep, publish, sentTo, later, send } = await openVia();
    await keep("priced", PRICED);
    const secret = await put("a", { via: "priced" });
    await put("plain");
    const event = await publish("order.paid", { order_id: "o_1" });
    await later(SECOND);
    const [request] = sentTo("a");
    expect(verify(request!, secret)).toEqual({ kind: "order.paid", order: "o_1", price: 1 });
    expect(request!.headers["webhook-id"]).toBe(event);
    expect(sentTo("plain")[0]!.json()).toMatchObject({ type: "order.paid", data: { order_id: "o_1" } });
    expect((await send("GET", "/v1/endpoints/a")).body).toMatchObject({ via: "priced" });
    expect((await send("GET", "/v1/runs?flow=priced")).body.runs).toMatchObject([
      { source: "flow", status: "success" },
    ]);
  });

  trial("runs its flow once for all endpoints of an object that get the event", async () => {
    const { put, keep, publish, sentTo, later, send } = await openVia();
    await keep("priced", PRICED);
    // Two in each of the sixteen objects.
    for (let n = 0; n < 32; n += 1) await put(`e${n}`, { via: "priced" });
    await publish("order.paid", { order_id: "o_1" });
    await later(5 * SECOND);
    for (let n = 0; n < 32; n += 1) expect(sentTo(`e${n}`)).toHaveLength(1);
    const { runs: ran } = (await send("GET", "/v1/runs?flow=priced&limit=100")).body as { runs: unknown[] };
    expect(ran.length).toBe(16);
  });

  trial.each([
    ["writes", "noted", "writes"],
    ["does not exist", "nowhere", "does not exist"],
    ["is no flow", "price_of", "does not exist"],
  ])("whose flow %s is refused when it is kept", async (_, via, said) => {
    const { keep, send } = await openVia();
    await keep("noted", NOTED);
    const refused = await send("PUT", "/v1/endpoints/a", { url: `${HOST}/a`, events: ["*"], via });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: "INVALID_ENDPOINT", issues: [{ path: "/via", hint: expect.stringContaining(said) }] },
    });
  });

  test("is refused with a sentence in a Worker without flows", async () => {
    const { send } = await openEndpoints();
    const refused = await send("PUT", "/v1/endpoints/a", { url: `${HOST}/a`, events: ["*"], via: "priced" });
    expect(refused.body.issues).toMatchObject([{ path: "/via", hint: expect.stringContaining("'flows'") }]);
  });

  test("whose flow writes by the time it is run sends nothing, and the attempt says why", async () => {
    const { put, keep, publish, sentTo, later, deliveriesOf, send } = await openVia();
    await keep("priced", PRICED);
    await put("a", { via: "priced" });
    await keep("priced", NOTED);
    await publish("order.paid", { order_id: "o_1" });
    await later(SECOND);
    expect(sentTo("a")).toEqual([]);
    expect(await deliveriesOf("a")).toMatchObject([
      { status: "retrying", attempts: [{ code: "FLOW_BROKEN" }] },
    ]);
    // It can be paused all the same.
    expect((await send("PATCH", "/v1/endpoints/a", { paused: true })).status).toBe(200);
    await keep("priced", PRICED);
    await send("PATCH", "/v1/endpoints/a", { paused: false });
    await later(10 * 60 * SECOND);
    expect(sentTo("a")).toHaveLength(1);
  });

  trial("whose flow fails is tried again, and causes no run that is told of", async () => {
    const { put, keep, publish, sentTo, later, deliveriesOf } = await openVia();
    await keep("priced", PRICED);
    await put("a", { events: ["order.*", "volley.*"], via: "priced" });
    await put("watch", { events: ["volley.*"] });
    price = -1;
    await publish("order.paid", { order_id: "o_1" });
    await later(SECOND);
    expect((await deliveriesOf("a"))[0]).toMatchObject({ status: "retrying" });
    await later(SECOND);
    price = 2;
    await later(60 * SECOND);
    expect(sentTo("a").map((one) => one.json())).toEqual([{ kind: "order.paid", order: "o_1", price: 2 }]);
    expect(sentTo("watch")).toEqual([]);
  });

  trial("waits where the tenant's runs have used up their quota, and that is no attempt", async () => {
    const { put, keep, publish, sentTo, later, deliveriesOf } = await openVia({
      quota: { limit: 60, window_s: 60 },
    });
    await keep("priced", PRICED);
    await put("a", { via: "priced" });
    for (let n = 0; n < 20; n += 1) await publish("order.paid", { order_id: `o_${n}` });
    await later(300 * SECOND);
    expect(sentTo("a")).toHaveLength(20);
    for (const { attempts } of await deliveriesOf("a")) expect(attempts).toHaveLength(1);
  });

  test("T54 keeps its flow in the hands of its customer, who cannot choose another", async () => {
    const { put, keep, send } = await openVia();
    await keep("priced", PRICED);
    await put("a", { via: "priced", customer: "c_1" });
    const { url } = (await send("POST", "/v1/portal_links", { customer: "c_1" })).body as { url: string };
    const headers = { authorization: `Bearer ${url.split("token=")[1]}` };
    const settings = { url: `${HOST}/a`, events: ["x"] };
    const chosen = await send("PUT", "/v1/portal/endpoints/a", { ...settings, via: "priced" }, headers);
    expect(chosen.body).toMatchObject({ code: "INVALID_ENDPOINT", issues: [{ path: "/via" }] });
    const replaced = await send("PUT", "/v1/portal/endpoints/a", settings, headers);
    expect(replaced).toMatchObject({ status: 200, body: { events: ["x"] } });
    expect(replaced.body.via).toBeUndefined();
    expect((await send("PATCH", "/v1/portal/endpoints/a", { via: null }, headers)).status).toBe(422);
    expect((await send("PATCH", "/v1/portal/endpoints/a", { paused: true }, headers)).status).toBe(200);
    expect((await send("GET", "/v1/endpoints/a")).body).toMatchObject({ via: "priced", paused: true });
  });
});

describe("The deliveries of a run", () => {
  trial("name it, are listed by it, and the run says where they are", async () => {
    const { volley, put, publish, send, later } = await openVia();
    await put("a");
    await put("b");
    await publish("other");
    const { batch_id: run } = await volley.run({
      actions: [
        { tool: "publish_event", args: { type: "x", data: {} } },
        { tool: "publish_event", args: { type: "y", data: {} } },
      ],
    });
    await later(3 * SECOND);
    const found = await send("GET", `/v1/deliveries?run=${run}`);
    const deliveries = found.body.deliveries as { run_id: string; endpoint: string; type: string }[];
    expect(deliveries.map(({ type, endpoint }) => `${type} ${endpoint}`)).toEqual([
      "y b",
      "y a",
      "x b",
      "x a",
    ]);
    for (const one of deliveries) expect(one.run_id).toBe(run);
    const only = await send("GET", `/v1/deliveries?run=${run}&endpoint=a&limit=1`);
    expect(only.body.deliveries).toMatchObject([{ endpoint: "a", type: "y" }]);
    expect((await send("GET", "/v1/deliveries?run=none")).body.deliveries).toEqual([]);
    expect((await send("GET", `/v1/runs/${run}`)).body).toMatchObject({
      deliveries: `/v1/deliveries?run=${run}`,
    });
  });
});

trial(
  "T54 a portal link shows its customer neither the flow, nor an event whose body the flow makes, and a PUT of it leaves both",
  async () => {
    const { put, keep, publish, later, send } = await openVia();
    await keep("priced", PRICED);
    await put("mine", { customer: "c_1", via: "priced" });
    await publish("order.paid", { order_id: "o_1", margin: "geheim" });
    await later(SECOND);
    const made = await send("POST", "/v1/portal_links", { customer: "c_1" });
    const authorization = `Bearer ${new URL(made.body.url as string).hash.slice("#token=".length)}`;
    const by = (method: string, path: string, body?: unknown) =>
      send(method, `/v1/portal${path}`, body, { authorization });
    const { deliveries } = (await by("GET", "/deliveries")).body;
    const answers = [
      await by("GET", `/deliveries/${deliveries[0].delivery_id}`),
      await by("GET", "/endpoints/mine"),
      await by("GET", "/endpoints"),
      await by("PUT", "/endpoints/mine", { url: `${HOST}/mine`, events: ["*"] }),
      await by("PATCH", "/endpoints/mine", { paused: true }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/via|priced|geheim/);
    }
    for (const [method, change] of [
      ["PUT", { url: `${HOST}/mine`, events: ["*"], via: "priced" }],
      ["PATCH", { via: null }],
    ] as const)
      expect((await by(method, "/endpoints/mine", change)).status, method).toBe(422);
    expect((await send("GET", "/v1/endpoints/mine")).body).toMatchObject({ via: "priced" });
  },
);
