import { expect, test } from "vitest";

import { VirtualClock } from "../../src/package/testing/virtual-clock.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { KillableVolley } from "./model/killable-volley.ts";
import { INNER, TOOLS } from "./model/tools.ts";

const LEASE_OVER_MS = 120_000;
const VAULT = btoa("0123456789abcdef0123456789abcdef");
const SHOP = { kind: "key", as: { header: "x-api-key" }, hosts: ["store.example.com"] };

/** Open a Volley that is killed while its service is asked for something `slow`, which it does all the same. */
async function open(limit = 60) {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const list: string[] = [];
  const never = new Promise<never>(() => {});
  const volley = new KillableVolley(
    {
      tools: [...TOOLS, ...INNER],
      clock,
      send: (url, { headers }) => {
        const of = [new URL(url).pathname, new Headers(headers).get("x-api-key") ?? []].flat().join(" ");
        heard.push(of);
        if (of.includes("/list")) return Promise.resolve(Response.json({ ofs: list }));
        return of.includes("slow") && heard.filter((one) => one === of).length === 1
          ? never
          : Promise.resolve(Response.json({}));
      },
    },
    {
      VOLLEY_KEYS: await configureKeys({
        "test-key": {
          name: "test",
          tenant: "acme",
          quota: { limit, window_s: 86_400 },
          flags: ["approve", "manage_connections"],
        },
      }),
      VOLLEY_VAULT_KEY: VAULT,
      VOLLEY_CONNECTORS: JSON.stringify({ shop: SHOP }),
    },
  );
  await KillableVolley.load();
  const ask = (path: string, body: unknown, key: string, method: string) =>
    volley.ask({ method, path, key: "test-key", body, headers: { "idempotency-key": key } });
  const send = async (path: string, body: unknown, { key = "again", method = "POST" } = {}) => {
    const answer = await clock.runUntil(ask(path, body, key, method));
    return typeof answer === "symbol" ? null : JSON.parse(answer.text || "{}");
  };
  /** Send what is killed before it is answered; then so long nothing comes that it is taken for lost. */
  const sendKilled = async (path: string, body: unknown) => {
    const asked = ask(path, body, "again", "POST");
    await clock.advance(2_000);
    volley.kill();
    await asked;
    await clock.advance(LEASE_OVER_MS);
  };
  return { clock, volley, heard, list, send, sendKilled };
}

test("T42 a write of a provider's turn that is sent again after a kill, and finds no quota, may have been sent; a read was not", async () => {
  const { clock, send, sendKilled, heard } = await open(4);
  const call = (id: string, ...actions: readonly object[]) => ({
    id,
    type: "function",
    function: { name: "execute_actions", arguments: JSON.stringify({ actions }) },
  });
  const of = (tool: string, name: string) => ({ tool, args: { of: name } });
  const calls = [
    call("a", of("put", "slow-a")),
    call("b", of("put", "slow-b")),
    call("c", of("look", "slow-c")),
  ];
  const turn = { role: "assistant", content: null, tool_calls: calls };
  await sendKilled("/v1/openai/tool_calls", turn);
  expect(heard).toHaveLength(3);
  // No batch of it finds quota, and then one.
  await clock.advance((await send("/v1/openai/tool_calls", turn)).retry_after_ms);
  const { messages } = await send("/v1/openai/tool_calls", turn);
  const told = (messages as { readonly content: string }[]).map(({ content }) => JSON.parse(content));
  expect(told).toMatchObject([
    { results: [{ status: "unknown" }] },
    { status: "unknown", in_doubt: true, error: { code: "QUOTA_EXCEEDED" } },
    { status: "error", error: { code: "QUOTA_EXCEEDED" } },
  ]);
  expect(heard).toHaveLength(3);
});

test("T57 a write that is sent again after a kill under its key is not sent in an account that was connected since", async () => {
  const { send, sendKilled, heard } = await open();
  const connect = (key: string) => ({ connector: "shop", subject: "u1", secret: key });
  const batch = (of: string) => ({ subject: "u1", actions: [{ tool: "put_account", args: { of } }] });
  await send("/v1/connections", connect("old"), { key: "c1" });
  await sendKilled("/v1/execute_actions", batch("slow"));
  await send("/v1/connections", connect("new"), { key: "c2" });
  const again = await send("/v1/execute_actions", batch("slow"));
  expect(again.results).toMatchObject([{ status: "unknown" }]);
  expect(heard).toEqual(["/put-once/slow old"]);
  const other = await send("/v1/execute_actions", batch("quick"), { key: "other" });
  expect([other.results[0].status, heard.at(-1)]).toEqual(["success", "/put-once/quick new"]);
});

test("jobs of a loop that comes again under its key after a kill, over a list that has shifted, are those of the same elements", async () => {
  const { clock, send, sendKilled, heard, list } = await open();
  const sent = () => heard.filter((one) => one.startsWith("/put")).toSorted();
  list.push("a", "b");
  const loop = {
    id: "all",
    tool: "put_later",
    for_each: { $ref: "seen#/ofs" },
    args: { of: { $ref: "item#" } },
  };
  const seen = { id: "seen", tool: "list", args: { of: "all" } };
  const slow = { id: "slow", tool: "put", args: { of: "slow" } };
  await sendKilled("/v1/execute_actions", { actions: [seen, loop, slow] });
  list.unshift("new");
  const { results } = await send("/v1/execute_actions", { actions: [seen, loop, slow] });
  await clock.advance(60_000);
  expect(results[1].data.map(({ status }: { readonly status: string }) => status)).toEqual(
    Array(3).fill("initiated"),
  );
  expect(sent()).toEqual(["/put-once/a", "/put-once/b", "/put-once/new", "/put/slow"]);
});
