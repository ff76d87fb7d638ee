import { expect, test } from "vitest";

import type { Configured } from "../../src/cloudflare/configured.ts";
import { createSeal, openArgs } from "../../src/features/undo/http/sealed-args.ts";
import { publishEvent } from "../../src/tools/events/publish-event.ts";
import { openBookings, TOOLS } from "../features/undo/http/bookings.ts";
import { HOUR, openTriggers, STORES } from "./trigger-world.ts";
import { trial } from "../support/trial.ts";

async function open(env: Readonly<Record<string, unknown>> = {}) {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  const published: string[] = [];
  const world = await openTriggers({
    tools: [...TOOLS, publishEvent],
    env,
    routes: {
      ...bookings.routes,
      "POST https://shop.example.com/*": ({ body = "" }) => ({ n: published.push(body) }),
    },
  });
  const run = async (actions: readonly object[], more: object = {}) => {
    const { body } = await world.send("POST", "/v1/execute_actions", { actions, ...more });
    await world.volley.advance(5_000);
    return body;
  };
  const overview = async () => {
    await world.volley.advance(5_000);
    return (await world.get("/v1/operator/overview", "root")).tenants[0];
  };
  return { ...world, bookings, published, run, overview };
}
const book = (name: string, ...needs: readonly string[]) => ({
  id: name,
  tool: "book",
  args: { name },
  ...(needs.length > 0 && { depends_on: needs }),
});
const store = (of: string) => ({ id: of, tool: "store_it", args: { of } });

test("a rerun publishes no event again that its run published", async () => {
  const { run, send, published, volley, statuses } = await open();
  await send("PUT", "/v1/endpoints/watch", { url: "https://shop.example.com/hooks", events: ["order.paid"] });
  statuses["bad"] = 400;
  const event = { id: "e", tool: "publish_event", args: { type: "order.paid", data: {} } };
  const { batch_id: id } = await run([event, store("bad")]);
  statuses["bad"] = 200;
  expect((await send("POST", `/v1/runs/${id}/rerun`, {})).body.summary).toMatchObject({ ok: 2 });
  await volley.advance(HOUR);
  expect(published).toHaveLength(1);
});

trial(
  "a rerun counts for who operates what it ran, and not again what it answered from the run before",
  async () => {
    const { run, send, statuses, overview } = await open();
    statuses["bad"] = 400;
    const { batch_id: id } = await run([store("good"), store("bad")]);
    expect(await overview()).toMatchObject({ runs: 1, actions: 2, error_rate: 0.5 });
    statuses["bad"] = 200;
    await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(await overview()).toMatchObject({ runs: 2, actions: 3, tools: [{ tool: "store_it", calls: 3 }] });
  },
);

trial(
  "what is taken back counts for who operates as no run, and the batch as the one that failed",
  async () => {
    const { run, overview, bookings } = await open();
    await run([book("a"), book("fails", "a")], { on_error: "undo" });
    expect(bookings.heard).toEqual(["book a", "book fails", "unbook a"]);
    expect(await overview()).toMatchObject({ runs: 1, actions: 2, error_rate: 0.5, dead: {} });
  },
);

trial.each(["rerun", "undo"])(
  "F37 a run of a tenant that was deleted has no %s, and sends nothing any more",
  async (what) => {
    const { run, send, volley, bookings } = await open();
    const { batch_id: id } = await run([book("a"), book("fails", "a")]);
    await send("POST", "/v1/tenant/delete", { tenant: "acme" });
    expect((await send("POST", `/v1/runs/${id}/${what}`, {})).status).toBe(404);
    await volley.advance(HOUR);
    expect(bookings.heard).toEqual(["book a", "book fails"]);
  },
);

/** Make the turn of a provider's model with some calls. */
const turn = (...calls: readonly (readonly [name: string, args: object])[]) => ({
  role: "assistant",
  content: null,
  tool_calls: calls.map(([name, args], at) => ({
    id: `c${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  })),
});

test("a provider's turn that is a batch in the background is recorded once for its key, and is found by what its reply says", async () => {
  const { send, get, volley, stored } = await open();
  const batch = { actions: [store("a")], background: true };
  const reply = async () => {
    const sent = turn(["execute_actions", batch]);
    const { body } = await send("POST", "/v1/openai/tool_calls", sent, { "idempotency-key": "again" });
    return JSON.parse(body.messages[0].content as string) as { readonly job_id: string };
  };
  const { job_id: id } = await reply();
  await volley.advance(60_000);
  expect(await get(`/v1/jobs/${id}`)).toMatchObject({ status: "succeeded" });
  expect([(await reply()).job_id, stored]).toEqual([id, ["a"]]);
});

test("a provider's turn that is undone says so in its reply", async () => {
  const { send, bookings } = await open();
  const batch = { actions: [book("a"), book("fails", "a")], on_error: "undo" };
  const { body } = await send("POST", "/v1/openai/tool_calls", turn(["execute_actions", batch]));
  expect(JSON.parse(body.messages[0].content as string)).toMatchObject({
    results: [{ id: "a", meta: { undone: true } }, { status: "error" }],
    undone: [{ id: "a", tool: "unbook", status: "success" }],
  });
  expect([...bookings.live]).toEqual([]);
});

trial.each([
  [
    "a provider's turn",
    "/v1/openai/tool_calls",
    turn(["store_it", { of: "good" }], ["store_it", { of: "bad" }]),
  ],
  [
    "a call of MCP",
    "/mcp",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "execute_actions", arguments: { actions: [store("good"), store("bad")] } },
    },
  ],
])("%s is run again without what it has done", async (_, path, body) => {
  const { send, get, volley, statuses, stored } = await open();
  statuses["bad"] = 400;
  const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
  await send("POST", path, body, headers);
  await volley.advance(5_000);
  const { runs } = await get("/v1/runs");
  statuses["bad"] = 200;
  const again = (await send("POST", `/v1/runs/${runs[0].run_id}/rerun`, {})).body;
  expect(again.summary).toMatchObject({ total: 2, ok: 2 });
  expect(stored).toEqual(["good", "bad", "bad"]);
});

trial(
  "T02 what a made key began in the background goes on with the rights that it had when it is revoked, and with no more",
  async () => {
    const { send, as, volley, stored, get } = await open();
    const { key } = (await send("POST", "/v1/keys", { name: "made", tools: ["store_it"] })).body;
    const numbers = Array.from({ length: 60 }, (_, n) => `n${n}`);
    const all = { id: "all", tool: "store_it", for_each: numbers, args: { of: { $ref: "item#" } } };
    const batch = { actions: [all, { id: "mail", tool: "mailbox" }], background: true };
    const { job_id: id } = (await send("POST", "/v1/execute_actions", batch, as(key as string))).body;
    await send("DELETE", "/v1/keys/made");
    await volley.advance(60_000);
    expect(stored).toEqual(numbers);
    expect((await get(`/v1/jobs/${id}`)).envelope.results).toMatchObject([
      { id: "all", status: "success" },
      { id: "mail", status: "error", error: { code: "UNKNOWN_TOOL" } },
    ]);
  },
);

trial(
  "a flow in the background that failed behind its first write is not begun again: the write is sent once",
  async () => {
    const { keep, run, get, volley, stored, statuses } = await open();
    await keep("two", { ...STORES, actions: [store("first"), { ...store("bad"), depends_on: ["first"] }] });
    statuses["bad"] = 429;
    const { job_id: id } = await run([{ id: "flow", tool: "two" }], { background: true });
    await volley.advance(HOUR);
    expect((await get(`/v1/jobs/${id}`)).envelope.results).toMatchObject([{ id: "flow", status: "error" }]);
    expect(stored.filter((of) => of === "first")).toEqual(["first"]);
  },
);

trial(
  "the run of a batch in the background is in an export once, as its last turn has left it, and comes back so",
  async () => {
    const { run, send, get, volley } = await open();
    const numbers = Array.from({ length: 60 }, (_, n) => `n${n}`);
    const all = { id: "all", tool: "store_it", for_each: numbers, args: { of: { $ref: "item#" } } };
    const { run_id: id } = await run([all], { background: true });
    await volley.advance(60_000);
    const { runs } = await get("/v1/export");
    await send("POST", "/v1/tenant/delete", { tenant: "acme" });
    await volley.advance(1_000);
    await send("PUT", "/v1/runs", { runs });
    expect((await get("/v1/runs")).runs).toMatchObject([{ run_id: id, status: "success", actions: 1 }]);
    expect((await get(`/v1/runs/${id}`)).actions[0].data).toHaveLength(60);
  },
);

test("what takes a write back is opened under the vault's old key while there are two, and by the new key alone no more", async () => {
  const [old, next] = ["o", "n"].map((letter) => btoa(letter.repeat(32)));
  const with1 = (key: string) =>
    ({
      env: { VOLLEY_VAULT_KEY: key },
      ports: { outside: (work: unknown) => work },
    }) as unknown as Configured;
  const found = { tool: "t", argsJson: "{}", delivery: "at-least-once", secretJson: '{"id":"s"}' } as const;
  const { sealed } = (await createSeal(with1(old!))(found, {
    tool: "w",
    tenant: "acme",
    sealedFor: "w",
  })) as Parameters<typeof openArgs>[0];
  const call = { argsJson: "{}", sealed };
  expect(await openArgs(call, with1(`${next},${old}`), ["acme", "w"])).toBe('{"id":"s"}');
  for (const other of [
    ["globex", "w"],
    ["acme", "x"],
  ] as const)
    expect(await openArgs(call, with1(`${next},${old}`), other)).toBeNull();
  expect(await openArgs(call, with1(next!), ["acme", "w"])).toBeNull();
});
