import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";

import { describe, expect, test } from "vitest";

import { openHookWorld } from "./hook-world.ts";
import { trial } from "../../../support/trial.ts";

/* Deliveries as their senders make them, to a deployment: what its run is given, and what the sender is told. */

const SECRET = "a-secret-of-a-sender";
const hmac = (text: string, encoding: "hex" | "base64" = "hex", algorithm = "sha256") =>
  createHmac(algorithm, SECRET).update(text).digest(encoding);
const github = (body: string, event = "issues", id = "d-1") => ({
  "content-type": "application/json",
  "x-github-event": event,
  "x-github-delivery": id,
  "x-hub-signature-256": `sha256=${hmac(body)}`,
});
const FORM = "application/x-www-form-urlencoded";

trial(
  "T65 Stripe: an event that the flow does not want is 200 and starts nothing, however many come",
  async () => {
    const world = await openHookWorld(SECRET);
    await world.keep({ verify: "stripe", events: ["invoice.*"] });
    const send = (type: string) => {
      const body = JSON.stringify({ id: `evt_${type}`, type });
      const time = Math.floor(world.volley.now() / 1_000);
      return world.deliver(body, { "stripe-signature": `t=${time},v1=${hmac(`${time}.${body}`)}` });
    };
    const others = Array.from({ length: 19 }, (_, n) => `customer.${n}`);
    // The last two begin as those do that it wants.
    for (const type of [...others, "invoiceitem.created", "invoice"]) {
      const { status, body } = await send(type);
      expect([status, body]).toEqual([
        200,
        { accepted: false, reason: `the event '${type}' is not among 'events'` },
      ]);
    }
    expect(await world.jobs()).toEqual([]);
    const taken = await send("invoice.paid");
    expect(taken.status).toBe(202);
    expect(await world.jobOf(taken)).toMatchObject({
      status: "succeeded",
      data: { hook: { event: "invoice.paid", id: "evt_invoice.paid", sender: "stripe" } },
    });
  },
);

describe("T65 GitHub", () => {
  test("has its ping answered 200, in a form too, and nothing is started", async () => {
    const world = await openHookWorld(SECRET);
    await world.keep({ verify: "github" });
    const ping = '{"zen":"Keep it logically awesome."}';
    const form = `payload=${encodeURIComponent(ping)}`;
    for (const [body, type] of [
      [ping, "application/json"],
      [form, FORM],
    ] as const) {
      const answer = await world.deliver(body, { ...github(body, "ping"), "content-type": type });
      expect([answer.status, answer.body]).toEqual([200, { accepted: false, reason: "it is a ping" }]);
    }
    expect(await world.jobs()).toEqual([]);
  });

  test("sends forms unless told otherwise, of which the payload is the input", async () => {
    const world = await openHookWorld(SECRET);
    await world.keep({ verify: "github", events: ["issues"] });
    const body = `payload=${encodeURIComponent('{"action":"opened","number":820982911946154508}')}`;
    const taken = await world.deliver(body, { ...github(body), "content-type": FORM });
    expect(taken.status).toBe(202);
    const { data, args } = await world.jobOf(taken);
    expect([JSON.stringify(args), data]).toMatchObject([
      expect.stringContaining("opened"),
      { hook: { event: "issues", id: "d-1", sender: "github" } },
    ]);
  });
});

test("T65 Slack: commands and buttons are 200 without a body, and their digest is their id", async () => {
  const world = await openHookWorld(SECRET);
  await world.keep({ verify: "slack" });
  const time = String(Math.floor(world.volley.now() / 1_000));
  const signed = (body: string) => ({
    "x-slack-request-timestamp": time,
    "x-slack-signature": `v0=${hmac(`v0:${time}:${body}`)}`,
  });
  const send = (body: string) => world.deliver(body, { ...signed(body), "content-type": FORM });
  const command = "command=%2Fdeploy&text=api+now&trigger_id=1.2";
  const taken = await send(command);
  expect([taken.status, taken.text]).toEqual([200, ""]);
  expect((await send(command)).headers.get("volley-job-id")).toBe(taken.headers.get("volley-job-id"));
  const id = createHash("sha256").update(`v0:${time}:${command}`).digest("hex");
  expect(await world.jobOf(taken)).toMatchObject({
    args: { command: "/deploy", text: "api now", trigger_id: "1.2" },
    data: { hook: { event: "/deploy", id, sender: "slack" } },
  });
});

trial("T65 Slack: a button's payload is the input, and an event has its own id", async () => {
  const world = await openHookWorld(SECRET);
  await world.keep({ verify: "slack" });
  const time = String(Math.floor(world.volley.now() / 1_000));
  const send = (body: string, type: string) =>
    world.deliver(body, {
      "content-type": type,
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${hmac(`v0:${time}:${body}`)}`,
    });
  const button = await send(`payload=${encodeURIComponent('{"type":"block_actions","actions":[]}')}`, FORM);
  expect([button.status, button.text]).toEqual([200, ""]);
  expect(await world.jobOf(button)).toMatchObject({
    args: { type: "block_actions", actions: [] },
    data: { hook: { event: "block_actions" } },
  });
  const event = '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}';
  const answer = await send(event, "application/json");
  expect(answer.status).toBe(202);
  expect((await world.jobOf(answer))["data"]).toMatchObject({ hook: { event: "app_mention", id: "Ev1" } });
});

trial("T65 GitLab: a signing token decides where its header came, else the token in the clear", async () => {
  const key = Buffer.alloc(32, "gitlab");
  const world = await openHookWorld(`whsec_${key.toString("base64")}`);
  expect((await world.keep({ verify: "gitlab" })).status).toBe(201);
  const body = '{"object_kind":"push"}';
  const time = String(Math.floor(world.volley.now() / 1_000));
  const mac = createHmac("sha256", key).update(`m_1.${time}.${body}`).digest("base64");
  const signed = { "webhook-id": "m_1", "webhook-timestamp": time, "webhook-signature": `v1,${mac}` };
  const clear = { "x-gitlab-token": `whsec_${key.toString("base64")}`, "idempotency-key": "k_1" };
  const event = { "x-gitlab-event": "Push Hook" };
  const taken = await world.deliver(body, { ...event, ...signed });
  expect((await world.jobOf(taken))["data"]).toMatchObject({ hook: { event: "Push Hook", id: "m_1" } });
  const other = await world.deliver(body, { ...event, ...clear });
  expect((await world.jobOf(other))["data"]).toMatchObject({ hook: { event: "Push Hook", id: "k_1" } });
  const forged = { ...signed, "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}` };
  expect((await world.deliver(body, { ...event, ...clear, ...forged })).status, "the first decides").toBe(
    401,
  );
  expect((await world.deliver(body, { ...event, "x-gitlab-token": "other" })).status).toBe(401);
});

trial("T65 Shopify: base64 of the body, under either of its headers", async () => {
  const world = await openHookWorld(SECRET);
  await world.keep({ verify: "shopify", events: ["orders/*"] });
  const body = '{"id":1}';
  for (const [prefix, id] of [
    ["x-shopify", "x-shopify-webhook-id"],
    ["shopify", "shopify-event-id"],
  ] as const) {
    const headers = {
      [`${prefix}-hmac-sha256`]: hmac(body, "base64"),
      [`${prefix}-topic`]: "orders/create",
      [id]: prefix,
    };
    const taken = await world.deliver(body, headers);
    expect((await world.jobOf(taken))["data"]).toMatchObject({
      hook: { event: "orders/create", id: prefix, sender: "shopify" },
    });
  }
});

trial("T65 Twilio: signs the address as the deployment is known, and is answered 204", async () => {
  const world = await openHookWorld(SECRET, { tools: [], env: { VOLLEY_URL: "https://hooks.acme.example" } });
  await world.keep({ verify: "twilio" });
  const body = "MessageSid=SM1&MessageStatus=delivered&To=%2B1";
  const sent = (url: string, token: string) => ({
    "content-type": FORM,
    "x-twilio-signature": hmac(`${url}MessageSidSM1MessageStatusdeliveredTo+1`, "base64", "sha1"),
    "i-twilio-idempotency-token": token,
  });
  const to = "/hooks/acme/taken?queue=a%20b";
  const taken = await world.deliver(body, sent(`https://hooks.acme.example${to}`, "t-1"), to);
  expect([taken.status, taken.text]).toEqual([204, ""]);
  expect(await world.jobOf(taken)).toMatchObject({
    args: { MessageSid: "SM1", MessageStatus: "delivered", To: "+1" },
    data: { hook: { event: "delivered", id: "t-1", sender: "twilio" } },
  });
  const port = await world.deliver(body, sent(`https://hooks.acme.example:443${to}`, "t-2"), to);
  expect(port.status).toBe(204);
  const elsewhere = await world.deliver(body, sent(`https://test.invalid${to}`, "t-3"), to);
  expect(elsewhere.status).toBe(401);
});

trial("T65 a list is given as its items, and a pointer leads into it either way", async () => {
  const world = await openHookWorld(SECRET);
  const body = '[{"eventId":7},{"eventId":8}]';
  for (const [id, given] of [
    ["/1/eventId", "8"],
    ["/items/0/eventId", "7"],
  ] as const) {
    await world.keep({ verify: "hmac", header: "x-mac", id, event: { header: "x-kind" } });
    const taken = await world.deliver(body, { "x-mac": hmac(body), "x-kind": "batch" });
    expect(await world.jobOf(taken)).toMatchObject({
      args: { items: [{ eventId: 7 }, { eventId: 8 }] },
      data: { hook: { event: "batch", id: given, sender: "hmac" } },
    });
  }
});

trial("T65 Ed25519: a public key in hex, and 204 or 200 where the flow says so", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url");
  const world = await openHookWorld(key.toString("hex"));
  const time = String(Math.floor(world.volley.now() / 1_000));
  const form = {
    verify: "ed25519",
    header: "x-signature-ed25519",
    payload: "{timestamp}{body}",
    timestamp: { header: "x-signature-timestamp" },
    id: "/id",
  };
  const send = (body: string, changed = body) =>
    world.deliver(changed, {
      "x-signature-timestamp": time,
      "x-signature-ed25519": sign(null, Buffer.from(`${time}${body}`), privateKey).toString("hex"),
    });
  for (const status of [200, 202, 204]) {
    await world.keep({ ...form, answer: status });
    const answer = await send(`{"id":"e-${status}"}`);
    expect([answer.status, answer.headers.get("volley-job-id")]).toEqual([status, expect.any(String)]);
    expect(answer.body).toEqual(status === 204 ? null : { job_id: answer.headers.get("volley-job-id") });
    const unwanted = await send("7");
    expect([unwanted.status, unwanted.text === ""]).toEqual(status === 204 ? [204, true] : [200, false]);
  }
  expect((await send('{"id":"e"}', '{"id":"f"}')).status).toBe(401);
});

describe("T65 a token", () => {
  trial.each([
    ["in a header", { header: "x-token" }, (token: string) => ({ headers: { "x-token": token } })],
    ["in the address", { query: "key" }, (token: string) => ({ query: `?key=${token}` })],
    ["in the body", { pointer: "/clientState" }, (token: string) => ({ body: { clientState: token } })],
    [
      "as a password",
      { basic: true },
      (token: string) => ({ headers: { authorization: `Basic ${btoa(`anybody:${token}`)}` } }),
    ],
  ])("%s opens the flow, and another does not", async (_, place, send) => {
    const world = await openHookWorld(SECRET);
    expect((await world.keep({ verify: "token", ...place })).status).toBe(201);
    const deliver = (token: string) => {
      const {
        headers = {},
        query = "",
        body = {},
      } = send(token) as {
        headers?: Record<string, string>;
        query?: string;
        body?: object;
      };
      return world.deliver(JSON.stringify({ n: 1, ...body }), headers, `/hooks/acme/taken${query}`);
    };
    expect((await deliver(`${SECRET}x`)).status).toBe(401);
    expect((await deliver("")).status).toBe(401);
    const taken = await deliver(SECRET);
    expect(taken.status).toBe(202);
    expect((await deliver(SECRET)).headers.get("volley-job-id"), "equal bodies are one").toBe(
      taken.headers.get("volley-job-id"),
    );
    const { hook } = (await world.jobOf(taken))["data"] as { hook: object };
    expect(hook).toMatchObject({ event: null, sender: "token", id: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

trial("a delivery without an id of its own is another each time where its form says so", async () => {
  const world = await openHookWorld(SECRET);
  await world.keep({ verify: "hmac", header: "x-mac", id: "none" });
  const send = () => world.deliver("{}", { "x-mac": hmac("{}") });
  const ids = [await send(), await send()].map(({ headers }) => headers.get("volley-job-id"));
  expect(new Set(ids).size).toBe(2);
  expect(await world.jobs()).toHaveLength(2);
});
