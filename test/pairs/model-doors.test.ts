import { describe, expect, test } from "vitest";

import { publishEvent } from "../../src/tools/events/publish-event.ts";
import { openTriggers } from "./trigger-world.ts";

type Call = readonly [name: string, args: object];
interface Sent {
  readonly key?: string;
  readonly id?: string;
}

/** Open a Volley whose model makes the calls of its script, one in each round, and then is done. */
async function open(env: Readonly<Record<string, unknown>> = {}) {
  const script: Call[] = [];
  const published: unknown[] = [];
  const world = await openTriggers({
    tools: [publishEvent],
    env: { LLM_BASE_URL: "https://llm.test/v1", LLM_API_KEY: "k", LLM_MODEL: "m", ...env },
    routes: {
      "POST https://llm.test/v1/chat/completions": () => {
        const [name, args] = script.shift() ?? [];
        const called = {
          id: `c${script.length}`,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        };
        const message = name === undefined ? { content: "Done." } : { content: null, tool_calls: [called] };
        const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", ...message } };
        return { id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] };
      },
      "POST https://shop.example.com/*": (sent) => {
        published.push(sent.json());
        return {};
      },
    },
  });
  const { send, as } = world;
  const post = (path: string, body: object, { key = "test-key", id }: Sent, more: object = {}) =>
    send("POST", path, body, { ...as(key), ...(id !== undefined && { "idempotency-key": id }), ...more });
  const watch = () =>
    send("PUT", "/v1/endpoints/watch", { url: "https://shop.example.com/hooks", events: ["order.paid"] });
  return { ...world, script, published, post, watch };
}
type World = Awaited<ReturnType<typeof open>>;

/** Each way in which a program hands over the calls of its model. */
const DOORS: readonly (readonly [
  string,
  (world: World, call: Call, sent?: Sent) => ReturnType<World["post"]>,
])[] = [
  [
    "A provider's turn",
    ({ post }, [name, args], sent = {}) => {
      const call = { id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } };
      return post("/v1/openai/tool_calls", { role: "assistant", content: null, tool_calls: [call] }, sent);
    },
  ],
  [
    "A call of MCP",
    ({ post }, [name, args], sent = {}) => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
      return post("/mcp?surface=flat", call, sent, headers);
    },
  ],
  [
    "A conversation",
    ({ post, script }, call, sent = {}) => {
      script.splice(0, script.length, call);
      const messages = [{ role: "user", content: "Go" }];
      return post("/v1/chat/completions", { messages, volley: { surface: "flat" } }, sent);
    },
  ],
];
const STORE: Call = ["store_it", { of: "kept" }];

describe.each(DOORS)("%s", (_, door) => {
  test("publishes its event once where it comes again under its key", async () => {
    const world = await open();
    await world.watch();
    const call: Call = ["publish_event", { type: "order.paid", data: { n: 1 } }];
    for (let time = 0; time < 2; time += 1) {
      const answer = await door(world, call, { id: "again" });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        200,
        expect.stringMatching(/event_id|Done/),
      ]);
      await world.volley.advance(5_000);
    }
    expect(world.published).toMatchObject([{ type: "order.paid", data: { n: 1 } }]);
  });

  test("is one run of its tenant in the overview of who operates", async () => {
    const world = await open();
    await door(world, STORE);
    await world.volley.advance(5_000);
    const { tenants } = await world.get("/v1/operator/overview", "root");
    expect(tenants).toMatchObject([
      { tenant: "acme", runs: 1, actions: 1, tools: [{ tool: "store_it", calls: 1 }] },
    ]);
  });

  test("T01 T02 by a made key calls what that key may alone, and nothing once that is revoked", async () => {
    const world = await open();
    const { send, stored, volley } = world;
    const made = async (name: string, tools: readonly string[]) =>
      (await send("POST", "/v1/keys", { name, tools })).body.key as string;
    const [few, some] = [await made("made-few", ["mailbox"]), await made("made-some", ["store_it"])];
    const refused = await door(world, STORE, { key: few });
    expect(JSON.stringify(refused.body)).not.toContain('"of":"kept"');
    expect(stored).toEqual([]);
    expect((await door(world, STORE, { key: some })).status).toBe(200);
    expect(stored).toEqual(["kept"]);
    await send("DELETE", "/v1/keys/made-some");
    await volley.advance(60_000);
    expect((await door(world, STORE, { key: some })).status).toBe(401);
    expect(stored).toEqual(["kept"]);
  });
});

test("A conversation's run is not run again by itself: 422, and nothing is sent", async () => {
  const world = await open();
  world.statuses["kept"] = 400;
  await DOORS.at(-1)![1](world, STORE);
  await world.volley.advance(5_000);
  const [{ run_id: id, source }] = (await world.get("/v1/runs")).runs;
  expect(source).toBe("agent");
  const again = await world.send("POST", `/v1/runs/${id}/rerun`, {});
  expect(again).toMatchObject({ status: 422, body: { detail: expect.stringContaining("round by round") } });
  expect(world.stored).toEqual(["kept"]);
});
