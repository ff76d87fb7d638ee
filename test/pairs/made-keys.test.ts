import { expect, test } from "vitest";

import { openTriggers } from "./trigger-world.ts";
import { trial } from "../support/trial.ts";

/** Open a Volley in which a key was made, has run something, and was revoked; its name is another key's, for fewer tools. */
async function open() {
  const world = await openTriggers();
  const { send, as, volley } = world;
  const make = async (tools: readonly string[], flags: readonly string[] = []) =>
    (await send("POST", "/v1/keys", { name: "made", tools, flags })).body.key as string;
  const first = await make(["*"], ["manage_endpoints"]);
  const actions = [{ id: "kept", tool: "store_it", args: { of: "of-the-first" } }];
  const { batch_id: run } = (await send("POST", "/v1/execute_actions", { actions }, as(first))).body;
  await volley.advance(5_000);
  const follow = async () => {
    await send("DELETE", "/v1/keys/made");
    await volley.advance(60_000);
    return as(await make(["mailbox"]));
  };
  return { ...world, run: run as string, first: as(first), follow };
}

test("T02 a key that gets the name of a revoked one sees nothing of the runs of tools that it may not call", async () => {
  const { send, run, first, follow } = await open();
  const seen = async (key: Record<string, string>) => [
    (await send("GET", `/v1/runs/${run}`, undefined, key)).status,
    JSON.stringify((await send("GET", "/v1/runs", undefined, key)).body),
  ];
  expect((await seen(first))[0]).toBe(200);
  const [, listed] = await seen(await follow());
  expect(listed).toContain('"actions":0');
  expect(listed).not.toContain("store_it");
});

trial.each([
  ["run them again", "rerun", { results: [] }],
  ["take them back", "undo", { undone: [] }],
])("T02 nor can it %s", async (_, path, nothing) => {
  const { send, run, follow, stored } = await open();
  const answer = await send("POST", `/v1/runs/${run}/${path}`, {}, await follow());
  expect(answer.body).toMatchObject(nothing);
  expect(stored).toEqual(["of-the-first"]);
});

trial("a portal link outlives the key that made it until its own time is over or a key ends it", async () => {
  const { send, first, follow } = await open();
  const { url } = (await send("POST", "/v1/portal_links", { customer: "c_1" }, first)).body;
  const authorization = `Bearer ${new URL(url as string).hash.slice("#token=".length)}`;
  const look = async () => (await send("GET", "/v1/portal", undefined, { authorization })).status;
  expect(await look()).toBe(200);
  const second = await follow();
  expect((await send("POST", "/v1/portal_links", { customer: "c_1" }, second)).status).toBe(403);
  expect(await look()).toBe(200);
  await send("DELETE", "/v1/portal_links?customer=c_1");
  expect(await look()).toBe(401);
});

trial(
  "T01 an endpoint goes on when the key that made it is revoked, and that key publishes nothing any more",
  async () => {
    const { send, first, follow } = await open();
    const put = { url: "https://shop.example.com/hooks", events: ["order.paid"] };
    expect((await send("PUT", "/v1/endpoints/shop", put, first)).status).toBe(201);
    const publish = (key: Record<string, string>) =>
      send("POST", "/v1/events", { type: "order.paid", data: {} }, key);
    const second = await follow();
    expect([(await publish(first)).status, (await publish(second)).status]).toEqual([401, 403]);
    expect((await publish({})).body).toMatchObject({ endpoints: 1 });
  },
);

test("T20 F19 a key of ten requests and two that it made, twenty at once with made-up headers, send exactly ten batches", async () => {
  const { send, as, stored } = await openTriggers();
  const make = async (name: string, by = {}) => {
    const wish = { name, tools: ["*"], flags: ["manage_keys"], quota: { limit: 10, window_s: 3_600 } };
    return as((await send("POST", "/v1/keys", wish, by)).body.key as string);
  };
  const first = await make("first");
  const keys = [first, await make("second", first), await make("third", first)];
  const answers = Array.from({ length: 20 }, (_, at) => {
    const actions = [{ id: "a", tool: "store_it", args: { of: `n${at}` } }];
    const headers = { "x-forwarded-for": `10.0.0.${at}`, "cf-connecting-ip": `10.0.1.${at}` };
    return send("POST", "/v1/execute_actions", { actions }, { ...keys[at % 3], ...headers });
  });
  const ran = (await Promise.all(answers)).filter(({ status }) => status === 200);
  expect([ran.length, stored.length]).toEqual([10, 10]);
});
