import { describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* Flows as their callers run them: by themselves, in a batch, over MCP, under a key, as events. */

const { upstream, volley } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

interface Answer {
  readonly batch_id: string;
  readonly results: readonly {
    readonly id: string;
    readonly status: string;
    readonly data?: unknown;
    readonly error?: { readonly code: string; readonly hint?: string };
    readonly confirmation?: { readonly id: string };
  }[];
  readonly answer?: unknown;
  readonly answer_error?: { readonly code: string };
}

async function keep(name: string, flow: object): Promise<void> {
  const kept = await admin.send({
    method: "PUT",
    path: `/v1/flows/${name}`,
    body: JSON.stringify({
      summary: `The flow ${name}`,
      input_schema: { type: "object", properties: { n: { type: "integer" } } },
      ...flow,
    }),
  });
  expect(kept.status, kept.text).toBe(201);
}

async function run(name: string, body: object, headers: Record<string, string> = {}) {
  const {
    status,
    text,
    headers: answered,
  } = await admin.send({ path: `/v1/flows/${name}/run`, body: JSON.stringify(body), headers });
  return {
    status,
    headers: answered,
    text,
    json: text.startsWith("{")
      ? (JSON.parse(text) as Answer & { code?: string; path?: string; plan?: { waves: string[][] } })
      : null,
  };
}

const ECHO = { id: "e", tool: "probe-echo", args: { n: { $ref: "input#/n" } } };
await keep("echo_flow", {
  actions: [ECHO, { id: "f", tool: "probe-echo", args: { n: { $ref: "e#/n" } } }],
  answer: { n: { $ref: "f#/n" }, said: { $template: "n is {{input#/n}}" } },
});
await keep("taker", { input_schema: { type: "object" }, actions: [ECHO] });
await keep("write_flow", {
  actions: [{ id: "w", tool: "probe-write", args: { n: { $ref: "input#/n" } } }],
  answer: { $ref: "w#/n" },
});
await keep("delete_flow", {
  actions: [{ id: "d", tool: "probe-delete", args: { id: { $template: "item-{{input#/n}}" } } }, ECHO],
});

describe("POST /v1/flows/{name}/run", () => {
  test("answers the envelope of the flow's batch, and its answer", async () => {
    const { status, json, headers } = await run("echo_flow", { input: { n: 7 } });
    expect(status).toBe(200);
    expect(json!.results).toMatchObject([
      { id: "e", status: "success", data: { n: 7 } },
      { id: "f", status: "success", data: { n: 7 } },
    ]);
    expect(json!.answer).toEqual({ n: 7, said: "n is 7" });
    expect(headers).toHaveProperty("ratelimit");
  });

  test("refuses an input that does not fit, and a field that there is not", async () => {
    expect((await run("echo_flow", { input: { n: "seven" } })).json).toMatchObject({
      code: "INVALID_REQUEST",
      path: "/input/n",
    });
    expect((await run("echo_flow", { inputs: {} })).json).toMatchObject({ code: "INVALID_REQUEST" });
    expect((await run("echo_flow", { input: { n: 1, __proto__x: 1 } })).status).not.toBe(500);
  });

  test.each([
    ["a number out of range", "1e400"],
    ["a reserved key", '{"__proto__":1}'],
  ])("refuses %s by its place, as the flow as a tool does, and sends nothing", async (_, n) => {
    const before = upstream.requestsTo("/echo").length;
    const ran = await admin.send({ path: "/v1/flows/taker/run", body: `{"input":{"n":${n}}}` });
    const refusal = JSON.parse(ran.text) as Record<string, unknown>;
    expect(refusal).toMatchObject({ status: 422, code: "INVALID_REQUEST" });
    const called = await admin.send({
      path: "/v1/execute_actions",
      body: `{"actions":[{"tool":"taker","args":{"n":${n}}}]}`,
    });
    const [result] = (JSON.parse(called.text) as Answer).results as readonly {
      readonly error?: { readonly code: string; readonly issues?: readonly Record<string, string>[] };
    }[];
    expect(result!.error!.code).toBe("INVALID_ARGS");
    const [{ path, expected, received }] = result!.error!.issues as [Record<string, string>];
    expect(refusal).toMatchObject({ path: path!.replace("/args", "/input"), expected, received });
    expect(upstream.requestsTo("/echo")).toHaveLength(before);
  });

  test("only plans where it is a dry run", async () => {
    const before = upstream.requestsTo("/echo").length;
    const { json } = await run("echo_flow", { input: { n: 1 }, dry_run: true });
    expect(json!.plan!.waves).toEqual([["e"], ["f"]]);
    expect(upstream.requestsTo("/echo")).toHaveLength(before);
  });

  test("runs once under one key, and answers the same again", async () => {
    const before = upstream.requestsTo("/write").length;
    const key = { "idempotency-key": "flow-once" };
    const first = await run("write_flow", { input: { n: 3 } }, key);
    const again = await run("write_flow", { input: { n: 3 } }, key);
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(upstream.requestsTo("/write")).toHaveLength(before + 1);
    expect((await run("write_flow", { input: { n: 4 } }, key)).status).toBe(422);
  });

  test("tells each result as an event, and last the whole", async () => {
    const { text } = await run("echo_flow", { input: { n: 9 } }, { accept: "text/event-stream" });
    expect(text.match(/^event: result$/gm)).toHaveLength(2);
    expect(text).toMatch(/event: done\ndata: .*"answer":\{"n":9/);
  });

  test("parks what needs a person's yes, which then runs with what the flow was given", async () => {
    const { json } = await run("delete_flow", { input: { n: 5 } });
    expect(json!.results.map(({ status }) => status)).toEqual(["pending_confirmation", "success"]);
    const asked = await admin.get(`/v1/confirmations/${json!.results[0]!.confirmation!.id}`);
    expect(JSON.parse(asked.text)).toMatchObject({
      requested_by: { key: "admin", flow: "delete_flow", run_id: json!.batch_id },
    });
    const { text } = await admin.send({
      path: `/v1/confirmations/${json!.results[0]!.confirmation!.id}`,
      body: '{"decision":"approve"}',
    });
    expect(JSON.parse(text)).toMatchObject({ results: [{ status: "success" }] });
    expect(upstream.requestsTo("/item").at(-1)!.query.get("id")).toBe("item-5");
  });

  test("knows no flow of another tenant, none that is not there, and no tool that is none", async () => {
    const other = new TestCaller(volley.url, "sandbox-key");
    const foreign = await other.send({ path: "/v1/flows/echo_flow/run", body: '{"input":{"n":1}}' });
    const texts = [
      foreign,
      await admin.send({ path: "/v1/flows/nothing/run", body: "{}" }),
      await admin.send({ path: "/v1/flows/probe-echo/run", body: "{}" }),
    ];
    for (const { status } of texts) expect(status).toBe(404);
  });
});

describe("A flow as a tool", () => {
  test("is one action of a batch, with its answer for data, and can be referred to", async () => {
    const { results } = await admin.execute([
      { id: "one", tool: "echo_flow", args: { n: 11 } },
      { tool: "probe-echo", args: { n: { $ref: "one#/n" } } },
    ]);
    expect(results).toMatchObject([
      { status: "success", data: { n: 11, said: "n is 11" } },
      { status: "success", data: { n: 11 } },
    ]);
  });

  test("parks whole where one of its actions needs a person's yes, and runs after it", async () => {
    const before = upstream.requestsTo("/echo").length;
    const { results } = await admin.execute([{ tool: "delete_flow", args: { n: 6 } }]);
    expect(results[0]!.status).toBe("pending_confirmation");
    expect(upstream.requestsTo("/echo")).toHaveLength(before);
    const { text } = await admin.send({
      path: `/v1/confirmations/${results[0]!.confirmation!.id}`,
      body: '{"decision":"approve"}',
    });
    expect(JSON.parse(text)).toMatchObject({ results: [{ tool: "delete_flow", status: "success" }] });
    expect(upstream.requestsTo("/item").at(-1)!.query.get("id")).toBe("item-6");
  });

  test("is found, described and invoked like any other, and called by a model's turn", async () => {
    const found = await admin.send({ path: "/v1/discover_tools", body: '{"query":"echo_flow"}' });
    const { tools } = JSON.parse(found.text) as { tools: object[] };
    expect(tools[0]).toMatchObject({ name: "echo_flow", category: "flows", is_write: false });
    const invoked = await admin.send({
      path: "/v1/invoke_tool",
      body: '{"tool_name":"echo_flow","parameters":{"n":2}}',
    });
    expect(JSON.parse(invoked.text)).toMatchObject({ status: "success", data: { n: 2 } });
    const turn = await admin.send({
      path: "/v1/openai/tool_calls",
      body: JSON.stringify({
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "echo_flow", arguments: '{"n":3}' } }],
      }),
    });
    expect(turn.text).toContain('\\"n\\":3');
  });

  test("fails as broken once a tool that it calls is gone", async () => {
    await admin.send({
      method: "PUT",
      path: "/v1/tools/soon_gone",
      body: JSON.stringify({
        summary: "Soon gone",
        description: "Soon gone.",
        category: "own",
        actions: ["read"],
        is_write: false,
        input_schema: { type: "object", properties: {} },
        http: { method: "GET", url: `${upstream.url}/echo` },
      }),
    });
    await keep("fragile", { actions: [{ tool: "soon_gone" }] });
    expect((await run("fragile", {})).status).toBe(200);
    expect((await admin.send({ method: "DELETE", path: "/v1/tools/soon_gone" })).status).toBe(204);
    expect((await run("fragile", {})).json).toMatchObject({ code: "FLOW_BROKEN" });
    const { results } = await admin.execute([{ tool: "fragile" }]);
    expect(results[0]).toMatchObject({ status: "error", error: { code: "FLOW_BROKEN" } });
  });
});
