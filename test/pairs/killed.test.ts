import { expect, test } from "vitest";

import { openKillable } from "./killable-world.ts";

test("T42 a write of a provider's turn that is sent again after a kill, and finds no quota, may have been sent; a read was not", async () => {
  const { clock, post, postKilled, heard } = await openKillable(4);
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
  await postKilled("/v1/openai/tool_calls", turn);
  expect(heard).toHaveLength(3);
  // No batch of it finds quota, and then one.
  await clock.advance((await post("/v1/openai/tool_calls", turn)).retry_after_ms);
  const { messages } = await post("/v1/openai/tool_calls", turn);
  const told = (messages as { readonly content: string }[]).map(({ content }) => JSON.parse(content));
  expect(told).toMatchObject([
    { results: [{ status: "unknown" }] },
    { status: "unknown", in_doubt: true, error: { code: "QUOTA_EXCEEDED" } },
    { status: "error", error: { code: "QUOTA_EXCEEDED" } },
  ]);
  expect(heard).toHaveLength(3);
});

test("T57 a write that is sent again after a kill under its key is not sent in an account that was connected since", async () => {
  const { post, postKilled, heard } = await openKillable();
  const connect = (key: string) => ({ connector: "shop", subject: "u1", secret: key });
  const batch = (of: string) => ({ subject: "u1", actions: [{ tool: "put_account", args: { of } }] });
  await post("/v1/connections", connect("old"), "c1");
  await postKilled("/v1/execute_actions", batch("slow"));
  await post("/v1/connections", connect("new"), "c2");
  const again = await post("/v1/execute_actions", batch("slow"));
  expect(again.results).toMatchObject([{ status: "unknown" }]);
  expect(heard).toEqual(["/put-once/slow old"]);
  const other = await post("/v1/execute_actions", batch("quick"), "other");
  expect([other.results[0].status, heard.at(-1)]).toEqual(["success", "/put-once/quick new"]);
});

test("jobs of a loop that comes again under its key after a kill, over a list that has shifted, are those of the same elements", async () => {
  const { clock, post, postKilled, heard, list } = await openKillable();
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
  await postKilled("/v1/execute_actions", { actions: [seen, loop, slow] });
  list.unshift("new");
  const { results } = await post("/v1/execute_actions", { actions: [seen, loop, slow] });
  await clock.advance(60_000);
  expect(results[1].data.map(({ status }: { readonly status: string }) => status)).toEqual(
    Array(3).fill("initiated"),
  );
  expect(sent()).toEqual(["/put-once/a", "/put-once/b", "/put-once/new", "/put/slow"]);
});
