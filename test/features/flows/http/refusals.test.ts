import type { Handshake } from "../../../../src/features/flows/hooks/hook-form.ts";
import { createHmac } from "node:crypto";

import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { findHandshake } from "../../../../src/features/flows/hooks/accept-delivery.ts";
import { type HookWorld, openHookWorld } from "./hook-world.ts";
import { trial } from "../../../support/trial.ts";

/* Deliveries that begin nothing, that begin again, and that are large. */

const SECRET = "a-secret-of-a-sender";
const macOf = (body: string, secret = SECRET) => createHmac("sha256", secret).update(body).digest("hex");
const signed = (body: string, secret = SECRET) => ({ "x-mac": macOf(body, secret) });
const HMAC = { verify: "hmac", header: "x-mac" };
const KIB = 1024;

describe("T38 before the signature is right", () => {
  trial("every refusal is the same 401, and a line of the log has tenant, flow and reason", async () => {
    const world = await openHookWorld(SECRET);
    await world.keep({ ...HMAC, timestamp: { header: "x-time" } });
    const time = { "x-time": String(Math.floor(world.volley.now() / 1_000)) };
    const refused = [
      await world.deliver("{}", { ...signed("{}", "other"), ...time }),
      await world.deliver("{}", { ...signed("{}"), "x-time": "1" }),
      await world.deliver("{}", time),
      await world.deliver("{}", { "x-mac": "no hex", ...time }),
      await world.deliver("{", { ...signed("{}"), ...time }),
      await world.deliver("{}", { ...signed("{}"), ...time }, "/hooks/acme/other"),
      await world.deliver("{}", { ...signed("{}"), ...time }, "/hooks/nobody/taken"),
      await world.deliver("{}", { ...signed("{}"), ...time }, "/hooks/acme/taken/more"),
      await world.deliver("{}", { ...signed("{}"), ...time }, "/hooks/acme"),
    ];
    const said = refused.map(({ status, body }) => JSON.stringify({ status, ...body, request_id: "" }));
    expect(new Set(said).size).toBe(1);
    expect(refused[0]!.status).toBe(401);
    const lines = world.lines();
    expect(lines).toHaveLength(refused.length);
    for (const line of lines)
      expect(line).toMatchObject({
        event: "hook_refused",
        reason: expect.stringMatching(/^(it|its|there)\b/),
      });
    expect(JSON.stringify(lines), "a name that anybody may have made up").not.toContain("nobody");
    expect(lines[0]).toMatchObject({ tenant: "acme", flow: "taken", reason: "its signature is not right" });
    expect(lines[1]).toMatchObject({ reason: "its time is not near enough to now" });
  });

  test("methods that no sender asks with are 405 for every path, whether a flow is there or not", async () => {
    const world = await openHookWorld(SECRET);
    await world.keep(HMAC);
    for (const path of [
      "/hooks/acme/taken",
      "/hooks/acme/other",
      "/hooks/nobody/x",
      "/hooks/a/b/c",
      "/hooks/a",
    ])
      for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
        const { status, headers } = await world.ask(path, { method });
        expect([method, path, status, headers.get("allow")]).toEqual([method, path, 405, "POST"]);
      }
  });

  trial("a body over 8,192 KiB is 413 for everybody", async () => {
    const world = await openHookWorld(SECRET);
    await world.keep({ ...HMAC, max_body_kib: 8_192 });
    const body = JSON.stringify({ text: "x".repeat(8_192 * KIB) });
    for (const to of ["/hooks/acme/taken", "/hooks/acme/other", "/hooks/nobody/taken"])
      for (const secret of [SECRET, "other"])
        expect((await world.deliver(body, signed(body, secret), to)).status).toBe(413);
    const streamed = new Blob([body]).stream();
    const init = { method: "POST", headers: signed(body), body: streamed, duplex: "half" } as RequestInit;
    expect((await world.ask("/hooks/acme/other", init)).status, "without its length").toBe(413);
  });

  trial.each([
    ["an HMAC of the body", HMAC, signed, 413],
    ["a token in a header", { verify: "token", header: "x-token" }, () => ({ "x-token": SECRET }), 413],
    [
      "an HMAC whose time stands in the body",
      { ...HMAC, timestamp: { pointer: "/at", unit: "ms" } },
      signed,
      401,
    ],
  ])("a body over the flow's bound, by %s, is told to who signs", async (_, webhook, sign, status) => {
    const world = await openHookWorld(SECRET);
    await world.keep({ ...webhook, max_body_kib: 300 });
    const large = JSON.stringify({ at: world.volley.now(), text: "x".repeat(300 * KIB) });
    expect((await world.deliver(large, sign(large) as Record<string, string>)).status).toBe(status);
    const streamed = new Blob([large]).stream();
    const headers = sign(large) as Record<string, string>;
    const init = { method: "POST", headers, body: streamed, duplex: "half" } as RequestInit;
    expect((await world.ask("/hooks/acme/taken", init)).status, "without its length").toBe(status);
    expect((await world.deliver(large, { "x-mac": "00", "x-token": "other" })).status).toBe(401);
    const small = JSON.stringify({ at: world.volley.now(), text: "x".repeat(290 * KIB) });
    expect((await world.deliver(small, sign(small) as Record<string, string>)).status).toBe(202);
  });
});

describe("T65 once the signature is right", () => {
  trial.each([
    ["no JSON", "{", "its body is no JSON object, no list and no form, or too deep"],
    ["a number", "7", "its body is no JSON object, no list and no form, or too deep"],
    [
      "deeper than a body may be",
      "[".repeat(40) + "]".repeat(40),
      "its body is no JSON object, no list and no form, or too deep",
    ],
    [
      "not what the flow takes",
      '{"type":"a","id":"1","n":"seven"}',
      "it does not fit the flow's input_schema",
    ],
    ["without its id", '{"type":"a","n":7}', "it has no usable id"],
    ["not among the events", '{"type":"b","id":"1","n":7}', "the event 'b' is not among 'events'"],
    ["without an event", '{"id":"1","n":7}', "it names no event"],
  ])("a delivery that is %s is 200, and starts nothing", async (_, body, reason) => {
    const world = await openHookWorld(SECRET);
    const input_schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    await world.keep({ ...HMAC, id: "/id", event: "/type", events: ["a"] }, { input_schema });
    const answer = await world.deliver(body, signed(body));
    expect([answer.status, answer.body]).toEqual([200, { accepted: false, reason }]);
    expect(await world.jobs()).toEqual([]);
    expect(world.lines()).toMatchObject([
      { event: "hook_not_accepted", tenant: "acme", flow: "taken", reason },
    ]);
    const good = '{"type":"a","id":"1","n":7}';
    expect((await world.deliver(good, signed(good))).status, "its id is not used up").toBe(202);
  });

  test("a paused flow is 503 with the time to come again, and answers its sender's questions", async () => {
    const world = await openHookWorld(SECRET);
    const triggers = { webhook: { verify: "github", secret: "HOOK" }, paused: true };
    await world.keep({}, { triggers });
    const deliver = (event: string, secret = SECRET) =>
      world.deliver("{}", {
        "x-github-event": event,
        "x-github-delivery": "d-1",
        "x-hub-signature-256": `sha256=${macOf("{}", secret)}`,
      });
    const told = await deliver("push");
    expect([told.status, told.headers.get("retry-after")]).toEqual([503, "600"]);
    expect((await deliver("ping")).body).toEqual({ accepted: false, reason: "it is a ping" });
    expect((await deliver("push", "other")).status).toBe(401);
  });
});

describe("references to the delivery", () => {
  trial("are null, and lead nowhere, where no delivery began the run", async () => {
    const world = await openHookWorld(SECRET);
    await world.keep(HMAC);
    const run = (path: string) =>
      world.ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect((await run("/v1/flows/taken/run")).body).toMatchObject({ answer: { hook: null } });
    await world.keep(HMAC, { answer: { $ref: "hook#/event" } });
    expect((await run("/v1/flows/taken/run")).body).toMatchObject({
      answer_error: { code: "BAD_REFERENCE" },
    });
  });

  test("name what a delivery has, and no action may have their name", async () => {
    const world = await openHookWorld(SECRET);
    const wrong = await world.keep(HMAC, { answer: { $template: "{{hook#/events}}" } });
    expect([wrong.status, wrong.body!["issues"]]).toMatchObject([
      422,
      [{ path: "/answer/$template", expected: "'event', 'id' or 'sender' of the delivery" }],
    ]);
    const actions = [{ id: "hook", tool: "discover_tools", args: {} }];
    const taken = await world.keep(HMAC, { actions, answer: 1 });
    expect(taken.body!["issues"]).toMatchObject([{ path: "/actions/0/id", expected: "another id" }]);
  });
});

const writeTo = (name: string) =>
  defineTool({
    name: `write_${name}`,
    summary: `Write to ${name}`,
    description: "A tool of a test.",
    category: name,
    actions: ["update"],
    isWrite: true,
    execution: "sync",
    input: z.strictObject({}),
    hosts: ["api.example.com"],
    orchestration: { mode: "parallel-safe" },
    run: async (_, ctx) => (await ctx.fetch(`https://api.example.com/${name}`, { method: "POST" })).json(),
  });

trial(
  "T38 a delivery that comes again after its run has failed begins it again, and repeats no write that succeeded",
  async () => {
    let status = 400;
    const world: HookWorld = await openHookWorld(SECRET, {
      tools: [writeTo("first"), writeTo("second")],
      routes: {
        "POST https://api.example.com/first": { done: true },
        "POST https://api.example.com/second": () => Response.json({}, { status }),
      },
    });
    const actions = [
      { id: "first", tool: "write_first" },
      { id: "second", tool: "write_second", depends_on: ["first"] },
    ];
    await world.keep({ ...HMAC, id: "/id" }, { actions, answer: { $ref: "second#" } });
    const deliver = () => world.deliver('{"id":"1"}', signed('{"id":"1"}'));
    const first = await deliver();
    expect(await world.jobOf(first)).toMatchObject({ status: "failed" });
    status = 200;
    const second = await deliver();
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(await world.jobOf(second)).toMatchObject({ status: "succeeded" });
    const third = await deliver();
    expect(third.body).toEqual(first.body);
    await world.jobOf(third);
    expect(world.volley.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      "/first",
      "/second",
      "/second",
    ]);
  },
);

trial("an input that no row takes is kept in pieces, and its run has it whole", async () => {
  const world = await openHookWorld(SECRET);
  await world.keep(
    { ...HMAC, max_body_kib: 8_192 },
    { answer: { last: { $ref: "input#/last" }, first: { $ref: "input#/items/0/n" } } },
  );
  const items = Array.from({ length: 40_000 }, (_, n) => ({ n, text: `${n} 🚀`.repeat(10) }));
  const body = JSON.stringify({ items, last: "🚀" });
  expect(body.length).toBeGreaterThan(3_000_000);
  const taken = await world.deliver(body, signed(body));
  expect(taken.status).toBe(202);
  expect(await world.jobOf(taken)).toMatchObject({ status: "succeeded", data: { last: "🚀", first: 0 } });
});

test("a sender's unsigned questions are answered by what its preset says of them", async () => {
  const url = "https://volley.example/hooks/acme/taken";
  const body = (text: string) => new TextEncoder().encode(text);
  const ask = (handshakes: readonly Handshake[], asked: object) =>
    findHandshake(handshakes, {
      method: "POST",
      url,
      body: null,
      isToken: async (text) => text === "t",
      ...asked,
    });
  const text = (said: string) => ({ kind: "text", text: said });
  const echo = [{ method: "GET", echo: "challenge" }] as const;
  expect(await ask(echo, { method: "GET", url: `${url}?challenge=a%20b` })).toEqual(text("a b"));
  expect(await ask(echo, { method: "GET" })).toBeNull();
  expect(await ask(echo, { url: `${url}?challenge=a` })).toBeNull();
  const asks = [
    { method: "GET", echo: "hub.challenge", token: "hub.verify_token", where: { "hub.mode": "subscribe" } },
  ] as const;
  const meta = (token: string) =>
    ask(asks, { method: "GET", url: `${url}?hub.mode=subscribe${token}&hub.challenge=7` });
  expect(await meta("&hub.verify_token=t")).toEqual(text("7"));
  expect([await meta("&hub.verify_token=u"), await meta("")]).toEqual([null, null]);
  expect(await ask([{ method: "HEAD" }], { method: "HEAD" })).toEqual(text(""));
  const ping = [{ method: "POST", fields: ["webhook_id"] }] as const;
  expect(await ask(ping, { body: body("webhook_id=7") })).toEqual(text(""));
  for (const other of ["", "webhook_id=7&more=1", '{"webhook_id":7}'])
    expect(await ask(ping, { body: body(other) })).toBeNull();
  const brings = [{ method: "POST", token: "verification_token" }] as const;
  expect(await ask(brings, { body: body('{"verification_token":"secret_1"}') })).toEqual({
    kind: "token",
    text: "secret_1",
  });
  for (const other of [
    "",
    '{"verification_token":1}',
    '{"verification_token":"a","b":1}',
    '{"verification_token":""}',
  ])
    expect(await ask(brings, { body: body(other) })).toBeNull();
});
