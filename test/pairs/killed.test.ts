import { expect, test } from "vitest";

import { openKillable } from "./killable-world.ts";
import { trial } from "../support/trial.ts";

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

test("P9: what a person approved and a kill broke off is unknown, to everybody who looks, and told once", async () => {
  const { clock, post, postKilled, send, heard } = await openKillable();
  const need = { id: "next", tool: "put", args: { of: "next" }, depends_on: ["first"] };
  const actions = [{ id: "first", tool: "put_asked", args: { of: "slow" } }, need];
  const asked = await post(
    "/v1/execute_actions",
    { actions, callback_url: "https://store.example.com/hear" },
    "asks",
  );
  const path = `/v1/confirmations/${asked.results[0].confirmation.id}`;
  await postKilled(path, { decision: "approve" });
  const { body: question } = await send("GET", path);
  expect(question).toMatchObject({ status: "done" });
  expect(question.results).toMatchObject([
    {
      id: "first",
      tool: "put_asked",
      status: "unknown",
      error: { code: "INTERNAL" },
      meta: { in_doubt: true },
    },
    { id: "next", status: "unknown" },
  ]);
  const { body: listed } = await send("GET", "/v1/runs?status=unknown");
  expect(listed.runs).toMatchObject([{ run_id: asked.batch_id, status: "unknown" }]);
  await clock.advance(86_400_000);
  expect((await send("GET", "/v1/runs?status=unknown")).body.runs).toHaveLength(1);
  expect((await post(path, { decision: "approve" })).results).toEqual(question.results);
  expect((await send("POST", path, { body: { decision: "approve" } })).status).toBe(409);
  expect(heard.filter((one) => one !== "/hear")).toEqual(["/put/slow"]);
  expect(heard.filter((one) => one === "/hear")).toHaveLength(1);
});

test("an approved run that was taken for lost and reports its end after all is known by that, and not told of again", async () => {
  const { clock, ask, post, send, objects, heard } = await openKillable();
  const actions = [{ id: "put", tool: "put_asked", args: { of: "quick" } }];
  const callback_url = "https://store.example.com/hear";
  const asked = await post("/v1/execute_actions", { actions, callback_url }, "asks");
  const path = `/v1/confirmations/${asked.results[0].confirmation.id}`;
  const held = Promise.withResolvers<void>();
  objects.onCall = (_, args) => (args.includes("conclude") ? held.promise : undefined);
  const deciding = ask("POST", path, { body: { decision: "approve" } });
  await clock.advance(120_000);
  const shown = async () => {
    const { status, results } = (await send("GET", path)).body;
    return [status, ...results.map((one: { readonly status: string }) => one.status)];
  };
  expect(await shown()).toEqual(["done", "unknown"]);
  held.resolve();
  await clock.runUntil(deciding);
  expect(await shown()).toEqual(["done", "success"]);
  await clock.advance(60_000);
  const { body } = await send("GET", `/v1/runs/${asked.batch_id}`);
  expect(body.status).toBe("success");
  expect(heard).toEqual(["/put/quick", "/hear"]);
});

test("the task of a call whose approved run a kill broke off is completed, and its result is unknown", async () => {
  const { send, postKilled } = await openKillable();
  const ask = async (method: string, params: { readonly name?: string; readonly taskId?: string }) => {
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { extensions, elicitation: { url: {} } },
    };
    const headers = {
      ...MCP,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": params.taskId ?? params.name!,
    };
    const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
    return (await send("POST", "/mcp?surface=flat", { body, headers })).body.result;
  };
  const call = { name: "put_asked", arguments: { of: "slow" } };
  const { taskId } = await ask("tools/call", call);
  expect(await ask("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
  const [question] = (await send("GET", "/v1/confirmations?status=waiting")).body.confirmations;
  await postKilled(`/v1/confirmations/${question.id}`, { decision: "approve" });
  expect(await ask("tasks/get", { taskId })).toMatchObject({
    status: "completed",
    result: { isError: true, structuredContent: { status: "unknown", in_doubt: true } },
  });
});

const MCP = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": "2025-06-18",
};

test("T42 a write of an MCP client that is sent again after a kill, and finds no quota, may have been sent; a read was not", async () => {
  const { clock, ask, volley, heard } = await openKillable(2);
  const call = (name: string, of: string) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { of } } };
    const headers = { ...MCP, "idempotency-key": of };
    return ask("POST", "/mcp?surface=flat", { body, headers });
  };
  const cut = [call("put", "slow-a"), call("look", "slow-b")];
  await clock.advance(2_000);
  volley.kill();
  await Promise.all(cut);
  await clock.advance(120_000);
  expect(heard).toHaveLength(2);
  const told = async (name: string, of: string) => JSON.stringify(await clock.runUntil(call(name, of)));
  expect(await told("put", "slow-a")).toMatch(/unknown.*in_doubt.*QUOTA_EXCEEDED/);
  expect(await told("look", "slow-b")).toMatch(/QUOTA_EXCEEDED/);
  expect(await told("look", "slow-b")).not.toMatch(/unknown|in_doubt/);
  expect(await told("put", "never")).not.toMatch(/unknown|in_doubt/);
});

trial(
  "T42 a batch of a provider's turn that still runs for the request before may send its write",
  async () => {
    const { clock, ask, post, heard } = await openKillable();
    const turnOf = (...ofs: readonly string[]) => ({
      role: "assistant",
      content: null,
      tool_calls: ofs.map((of) => {
        const actions = [{ tool: "put", args: { of } }];
        return {
          id: of,
          type: "function",
          function: { name: "execute_actions", arguments: JSON.stringify({ actions }) },
        };
      }),
    });
    const turn = turnOf("quick", "slow");
    const first = ask("POST", "/v1/openai/tool_calls", {
      body: turn,
      headers: { "idempotency-key": "again" },
    });
    await clock.advance(2_000);
    const { messages } = await post("/v1/openai/tool_calls", turn);
    const told = (messages as { readonly content: string }[]).map(({ content }) => JSON.parse(content));
    expect(told).toMatchObject([
      { results: [{ status: "success" }] },
      { status: "unknown", in_doubt: true, error: { code: "IDEMPOTENCY_IN_PROGRESS" } },
    ]);
    expect(heard).toHaveLength(2);
    await clock.runUntil(first);
  },
);

trial(
  "T42 a batch whose action has a key of its own that is in doubt says so where it finds no quota",
  async () => {
    const { clock, ask, send, volley, heard } = await openKillable(2);
    const turnOf = (key: string) => {
      const actions = [{ tool: "put", args: { of: "slow" }, idempotency_key: key }];
      const call = { name: "execute_actions", arguments: JSON.stringify({ actions }) };
      return {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "b", type: "function", function: call },
          { id: "a", type: "function", function: { name: "look", arguments: '{"of":"a"}' } },
        ],
      };
    };
    const cut = ask("POST", "/v1/openai/tool_calls", { body: turnOf("mine") });
    await clock.advance(2_000);
    volley.kill();
    await cut;
    await clock.advance(86_400_000 / 2 + 1_000);
    for (const [key, said] of [
      ["mine", { status: "unknown", in_doubt: true, error: { code: "QUOTA_EXCEEDED" } }],
      ["new", { status: "error", error: { code: "QUOTA_EXCEEDED" } }],
    ] as const) {
      const { body } = await send("POST", "/v1/openai/tool_calls", { body: turnOf(key) });
      const messages = body.messages as { readonly content: string }[];
      expect(JSON.parse(messages[0]!.content)).toMatchObject(said);
      await clock.advance(86_400_000 / 2 + 1_000);
    }
    expect(heard.filter((one) => one.endsWith("slow"))).toHaveLength(1);
  },
);

test("P9: a batch that comes again under its key after a kill sends nothing of what was undone meanwhile, and says so", async () => {
  const { clock, post, postKilled, heard } = await openKillable();
  const put = (of: string, more: object = {}) => ({ id: of, tool: "put_once", args: { of }, ...more });
  const batch = {
    on_error: "undo",
    actions: [put("a"), put("own", { idempotency_key: "o" }), put("slow", { depends_on: ["a", "own"] })],
  };
  await postKilled("/v1/execute_actions", batch);
  const before = heard.toSorted();
  expect(before).toEqual(["/drop/a", "/drop/own", "/put-once/a", "/put-once/own", "/put-once/slow"]);
  const again = await post("/v1/execute_actions", batch);
  expect(again.results.map(({ status }: { readonly status: string }) => status)).toEqual(
    Array(3).fill("unknown"),
  );
  expect(again.results[0].meta).toMatchObject({ undone: true });
  expect(again.undone).toMatchObject([
    { id: "slow", status: "unknown" },
    { id: "own", status: "success" },
    { id: "a", status: "success" },
  ]);
  expect(await post("/v1/execute_actions", batch)).toEqual(again);
  await clock.advance(60_000);
  expect(heard.toSorted()).toEqual(before);
  const anew = await post("/v1/execute_actions", { ...batch, actions: [put("a"), put("slow")] }, "new");
  expect(anew.summary).toMatchObject({ ok: 2 });
});

trial(
  "T57 a write that is sent again after a kill under its key is not sent in an account that was connected since",
  async () => {
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
  },
);

trial(
  "jobs of a loop that comes again under its key after a kill, over a list that has shifted, are those of the same elements",
  async () => {
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
  },
);
