import { beforeEach, expect, test } from "vitest";

import { addedTools } from "../../src/features/added-tools/index.ts";
import { operator } from "../../src/features/operator/index.ts";
import { narrow, READS } from "../../src/features/sign-in/sign-in-scopes.ts";
import { ok } from "../../src/core/kit/result.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { API, openConnections } from "../features/connections/http/connection-world.ts";
import { declare } from "../features/connections/http/mailbox-tool.ts";
import { openMcp } from "../features/mcp/http/mcp-world.ts";
import { trial } from "../support/trial.ts";

const SHOP = "https://shop.example.com";
const ORDER = {
  ...declare(undefined),
  actions: ["create"],
  is_write: true,
  input_schema: { type: "object", properties: { n: { type: "integer" } } },
  http: { method: "POST", url: `${SHOP}/order`, body: "args" },
};
const LATER = { ...ORDER, execution: "fire-and-forget", idempotent: true };

let answer: () => unknown;
let sent: string[];

beforeEach(() => {
  answer = () => ({ done: true });
  sent = [];
});

/** A Volley with MCP, a key that keeps tools, an operator's, and a token of reads. */
async function open() {
  const quota = { limit: 100, windowS: 60 };
  const narrowed = { name: "token", tenant: "acme", tools: narrow(["*"], [READS]), quota, flags: [] };
  const source = {
    hasForm: (key: string) => key === "token",
    recall: () => undefined,
    identify: async () => ok(narrowed),
  };
  const world = await openMcp({
    features: [operator(), { name: "tokens", openCallers: () => source }],
    routes: {
      [`POST ${SHOP}/order`]: ({ body }) => {
        sent.push(body ?? "");
        return answer();
      },
      [`GET ${SHOP}/look`]: { told: true },
    },
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "asker", tenant: "acme" },
        keeps: { name: "keeps", tenant: "acme", flags: ["manage_tools"] },
        globex: { name: "globex", tenant: "globex", flags: ["approve", "manage_tools"] },
        few: { name: "few", tenant: "acme", tools: ["read_it"] },
        root: { name: "root", tenant: "root", tools: [], flags: ["operator"] },
      }),
    },
  });
  const { volley } = world;
  const send = async (key: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await volley.fetch(path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || "null") };
  };
  const keep = async (name: string, declaration: object) => {
    const kept = await send("keeps", "PUT", `/v1/tools/${name}`, declaration);
    expect(kept.status, JSON.stringify(kept.body)).toBeLessThan(300);
    await volley.advance(6_000);
  };
  return { ...world, send, keep };
}

trial(
  "a loop in the background whose tool is deleted meanwhile is dead, and sends each element once when it goes on",
  async () => {
    const { send, keep, volley } = await open();
    await keep("order", ORDER);
    answer = () => {
      if (sent.length === 10) void send("keeps", "DELETE", "/v1/tools/order");
      return { done: true };
    };
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const loop = { id: "all", tool: "order", for_each: numbers, args: { n: { $ref: "item#" } } };
    const { body } = await send("keeps", "POST", "/v1/execute_actions", {
      background: true,
      actions: [loop],
    });
    const job = async () => (await send("keeps", "GET", `/v1/jobs/${body.job_id}`)).body;
    await volley.advance(60_000);
    expect(await job()).toMatchObject({ status: "dead", error: { code: "UNKNOWN_TOOL" } });
    expect(sent.length).toBeLessThan(60);
    await keep("order", ORDER);
    expect((await send("keeps", "POST", `/v1/jobs/${body.job_id}/redrive`)).status).toBe(200);
    await volley.advance(60_000);
    expect(await job()).toMatchObject({ status: "succeeded" });
    expect(sent).toEqual(numbers.map((n) => JSON.stringify({ n })));
  },
);

test("the task of a call outlives the tool of the call, for those alone who could call it", async () => {
  const { call, look, keep, send, volley } = await open();
  await keep("order", LATER);
  answer = () => Response.json({ n: sent.length }, { status: sent.length === 1 ? 503 : 200 });
  const { taskId } = await call("order", { n: 1 });
  await send("keeps", "DELETE", "/v1/tools/order");
  await volley.advance(60_000);
  expect(await look(taskId)).toMatchObject({
    status: "completed",
    result: { structuredContent: { n: 2 } },
  });
  expect(sent).toHaveLength(2);
  expect((await look(taskId, { key: "few" })).code).toBe(-32_602);
});

trial(
  "a token of reads never calls what a tenant adds as a write, and calls what it adds as a read",
  async () => {
    const { ask, keep } = await open();
    await keep("order", ORDER);
    await keep("look", declare(undefined, `${SHOP}/look`));
    const { body } = await ask("tools/list", {}, { key: "token" });
    const names = body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("look");
    expect(names).not.toContain("order");
    for (const [name, args] of [
      ["order", { n: 1 }],
      ["execute_actions", { actions: [{ tool: "order", args: { n: 1 } }] }],
      ["invoke_tool", { tool_name: "order", parameters: { n: 1 } }],
    ] as const)
      expect(
        JSON.stringify((await ask("tools/call", { name, arguments: args }, { key: "token" })).body),
      ).toMatch(/UNKNOWN_TOOL|insufficient|scope/);
    expect(sent).toEqual([]);
  },
);

trial(
  "the operator's redrive runs a dead job of a tool that its tenant has deleted, as the tool was declared",
  async () => {
    const { send, keep, volley } = await open();
    await keep("order", LATER);
    answer = () => Response.json({}, { status: 503 });
    await send("keeps", "POST", "/v1/execute_actions", { actions: [{ tool: "order", args: { n: 1 } }] });
    await volley.advance(3_600_000);
    await send("keeps", "DELETE", "/v1/tools/order");
    answer = () => ({ done: true });
    const redriven = await send("root", "POST", "/v1/operator/redrive", { tenant: "acme", tool: "order" });
    expect(redriven.body).toMatchObject({ redriven: 1, tools_gone: [] });
    await volley.advance(60_000);
    expect((await send("keeps", "GET", "/v1/jobs")).body.jobs).toMatchObject([{ status: "succeeded" }]);
  },
);

trial("T57 what waits for an account runs nothing by it once its tool is declared otherwise", async () => {
  const { send, connect, volley } = await openConnections({
    features: [addedTools()],
    key: { flags: ["approve", "manage_connections", "manage_tools"] },
    routes: { [`GET ${API}/elsewhere`]: { told: "elsewhere" } },
  });
  const auth = { connection: "acme" };
  const keep = async (url?: string) => {
    const kept = await send("PUT", "/v1/tools/whose", declare(auth, url));
    expect(kept.status, JSON.stringify(kept.body)).toBeLessThan(300);
    await volley.advance(6_000);
  };
  await keep();
  const batch = { subject: "ada", on_connection: "park", actions: [{ tool: "whose" }] };
  const { results } = (await send("POST", "/v1/execute_actions", batch)).body;
  expect(results).toMatchObject([{ status: "pending_confirmation" }]);
  await keep(`${API}/elsewhere`);
  await connect("ada", "ada@acme.dev");
  await volley.advance(60_000);
  const { status, results: ran } = (await send("GET", `/v1/confirmations/${results[0].confirmation.id}`))
    .body;
  expect([status, ran]).toEqual(["pending", undefined]);
  expect(volley.requests.filter(({ url }) => url.startsWith(API))).toEqual([]);
});

trial(
  "T46 calls of a tenant's tool over MCP that fail close its service to that tenant's clients, and to no other tenant's",
  async () => {
    const { send, keep, ask, volley } = await open();
    await keep("order", { ...ORDER, idempotent: false });
    await send("globex", "PUT", "/v1/tools/order", ORDER);
    await volley.advance(6_000);
    const call = async (key: string) => {
      const { body } = await ask("tools/call", { name: "order", arguments: { n: 1 } }, { key });
      return JSON.stringify(body.result.content);
    };
    answer = () => Response.json({}, { status: 500 });
    for (let times = 0; times < 20; times += 1) await call("test-key");
    expect(sent).toHaveLength(20);
    answer = () => ({ done: true });
    expect(await call("test-key")).toContain("CIRCUIT_OPEN");
    expect(sent).toHaveLength(20);
    expect(await call("globex")).toContain("done");
  },
);
