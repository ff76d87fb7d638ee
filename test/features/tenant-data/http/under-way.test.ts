import { afterAll, beforeAll, describe, expect, test } from "vitest";

import * as z from "zod";

import wrangler from "../../../../wrangler.toml?raw";
import { publishEvent } from "../../../../src/tools/events/publish-event.ts";
import { restoreFile } from "../../../../src/tools/workspace/restore-file.ts";
import { write } from "../../../../src/tools/workspace/write.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { DECLARATION, sendIt, store } from "../../runs/http/store-tools.ts";
import { trial } from "../../../support/trial.ts";

interface Database {
  prepare(sql: string): { all(): Record<string, unknown>[] };
}

const sqlite = process.getBuiltinModule("node:sqlite") as { DatabaseSync: new (path: string) => Database };
const { DatabaseSync } = sqlite;
/** Every database that an object made. */
const databases: Database[] = [];

beforeAll(() => {
  sqlite.DatabaseSync = class extends DatabaseSync {
    constructor(path: string) {
      super(path);
      databases.push(this);
    }
  };
});

afterAll(() => {
  sqlite.DatabaseSync = DatabaseSync;
});

const drop = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], run: sendIt });
const later = defineTool({
  ...DECLARATION,
  name: "store_later",
  execution: "fire-and-forget",
  idempotent: true,
  run: sendIt,
});

const mailbox = { ...DECLARATION, actions: ["read"], isWrite: false } as const;
const usesAcme = defineTool({
  ...mailbox,
  name: "uses_acme",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch("https://api.acme.dev/mailbox")).json(),
});
/** A job that is under way in its object when the tenant is deleted. */
const publishLater = defineTool({
  ...DECLARATION,
  name: "publish_later",
  execution: "fire-and-forget",
  idempotent: true,
  bindings: publishEvent.bindings,
  input: z.strictObject({}),
  run: async (_, ctx) => {
    await ctx.fetch("https://api.example.com/slow", { method: "POST" });
    return publishEvent.run({ type: "order.paid", data: {} }, ctx);
  },
});
const DECLARED = { summary: "Say it", input_schema: { type: "object", properties: {} } };
const REGISTERED = {
  ...DECLARED,
  description: "Say it. Size: about 10 tokens.",
  category: "words",
  actions: ["read"],
  is_write: false,
  http: { method: "GET", url: "https://api.example.com/say" },
};
const CONNECTED = {
  VOLLEY_CONNECTORS: JSON.stringify({
    acme: {
      client_id: "volley",
      client_secret: { secret: "ACME_SECRET" },
      authorize_url: "https://id.acme.dev/authorize",
      token_url: "https://id.acme.dev/token",
      hosts: ["api.acme.dev"],
      scopes: ["mail.read"],
    },
    crm: { kind: "key", as: "bearer", hosts: ["api.acme.dev"] },
  }),
  VOLLEY_VAULT_KEY: btoa("0123456789abcdef0123456789abcdef"),
  VOLLEY_RETURN_ORIGINS: "https://app.acme.dev",
  ACME_SECRET: "geheim",
};

const send = (volley: TestVolley, path: string, body: object, accept?: string): Promise<Response> =>
  volley.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(accept !== undefined && { accept }) },
    body: JSON.stringify(body),
  });

const MARK = "mark-of-the-tenant";
const ACTIONS = [
  { id: "slow", tool: "store_it", args: { of: "slow" } },
  { id: "drop", tool: "drop_it", args: { of: MARK }, depends_on: ["slow"] },
  { id: "later", tool: "store_later", args: { of: MARK }, depends_on: ["slow"] },
  {
    id: "each",
    tool: "store_later",
    for_each: [1, 2],
    args: { of: { $template: "{{slow#/said}}-{{item#}}" } },
  },
];
const CALLS = [
  [["store_it", "slow"]],
  [
    ["drop_it", MARK],
    ["store_later", MARK],
  ],
  [],
] as const;

trial.each([
  ["a batch", { path: "/v1/execute_actions", body: { actions: ACTIONS } }],
  [
    "a batch that is streamed",
    { path: "/v1/execute_actions", body: { actions: ACTIONS }, accept: "text/event-stream" },
  ],
  [
    "a batch in the background",
    { path: "/v1/execute_actions", body: { actions: ACTIONS, background: true } },
  ],
  [
    "a provider's turn",
    {
      path: "/v1/anthropic/tool_use",
      body: {
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "execute_actions", input: { actions: ACTIONS } }],
      },
    },
  ],
  [
    "a call of MCP",
    {
      path: "/mcp",
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "execute_actions", arguments: { actions: ACTIONS } },
      },
    },
  ],
  ["a conversation", { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "Go" }] } }],
  [
    "a job that is tried again",
    {
      path: "/v1/execute_actions",
      body: { actions: [{ tool: "store_later", args: { of: `slow?${MARK}` } }] },
      attempts: 2,
    },
  ],
])(
  "F37 nothing is kept of %s that goes on when its tenant is deleted",
  async (
    _,
    { path, body, accept, attempts = 1 }: { path: string; body: object; accept?: string; attempts?: number },
  ) => {
    databases.length = 0;
    const rounds = [...CALLS];
    let slow = 0;
    const volley: TestVolley = await createTestVolley({
      tools: [store, drop, later],
      features: ALL_FEATURES,
      key: { flags: ["approve", "manage_tools", "manage_keys"] },
      env: { LLM_BASE_URL: "https://model.example.com/v1", LLM_API_KEY: "k", LLM_MODEL: "m" },
      routes: {
        "POST https://api.example.com/*": async ({ url }, { sleep }) => {
          if (!url.includes("/slow")) return {};
          slow += 1;
          if (slow < attempts) return Response.json({}, { status: 503 });
          await sleep(1_000);
          expect((await send(volley, "/v1/tenant/delete", { tenant: "test" })).status).toBe(200);
          await sleep(1_000);
          return attempts === 1 ? { said: MARK } : Response.json({}, { status: 503 });
        },
        "POST https://model.example.com/v1/chat/completions": () => {
          const calls = rounds.shift()!;
          const message = calls.map(([name, of], at) => ({
            id: `c${at}`,
            type: "function",
            function: { name, arguments: JSON.stringify({ of }) },
          }));
          return {
            id: "x",
            object: "chat.completion",
            created: 1,
            model: "m",
            choices: [
              {
                index: 0,
                finish_reason: "stop",
                message: {
                  role: "assistant",
                  content: "Done.",
                  ...(message.length > 0 && { tool_calls: message }),
                },
              },
            ],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
          };
        },
      },
    });
    const answer = await send(volley, path, body, accept);
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(300);
    await volley.advance(10 * 60_000);
    expect(slow).toBe(attempts);
    volley.evict();
    await volley.advance(60 * 60_000);
    expect(databases.flatMap((one) => rowsOf(one))).toEqual([]);
  },
);

/** Requests to each class of objects whose bodies arrive after the deletion, and calls of tools that come then. */
const LATE: Readonly<Record<string, readonly (readonly [door: string, body: object])[]>> = {
  TenantGate: [
    ["PUT /v1/tools/registered", REGISTERED],
    ["PUT /v1/flows/whole", { ...DECLARED, actions: [{ id: "one", tool: "store_it" }] }],
    ["POST /v1/execute_actions", { actions: [{ tool: "drop_it", args: { of: MARK } }] }],
    [
      "POST /v1/execute_actions",
      { actions: [{ tool: "store_later", args: { of: MARK } }], background: true },
    ],
  ],
  RunLog: [["POST /v1/execute_actions", { actions: [{ tool: "store_it", args: { of: MARK } }] }]],
  EndpointDirectory: [
    ["PUT /v1/event_types/order.paid", { description: "Paid" }],
    ["POST /v1/portal_links", { customer: "c_1" }],
    ["POST /v1/events", { type: "order.paid", data: {} }],
    ["POST /v1/events/batch", { events: [{ type: "order.paid", data: {} }] }],
    ["call", { tool: "publish_event", args: { type: "order.paid", data: {} } }],
    ["job", { tool: "publish_later", args: {} }],
  ],
  EndpointShard: [
    ["PUT /v1/endpoints/shop", { url: "https://shop.acme.dev/hooks", customer: "c_1", events: ["*"] }],
  ],
  ConnectionShard: [
    ["POST /v1/connections", { connector: "crm", subject: "ada", secret: "s" }],
    ["POST /v1/connections", { connector: "acme", subject: "ada", return_to: "https://app.acme.dev/done" }],
    ["call", { tool: "uses_acme", args: {} }],
  ],
  KeyShard: [["POST /v1/keys", { name: "made", tools: ["*"] }]],
  OperatorLog: [["POST /v1/execute_actions", { actions: [{ tool: "store_it", args: { of: MARK } }] }]],
  Workspace: [["call", { tool: "write", args: { path: "notes.md", content: MARK } }]],
};
/** Their rows name no tenant; those of the second are written by a library, and stand in `sign-in-store.test.ts`. */
const OTHERS = ["ToolGate", "SignInStore"];

test("F37 each class of objects has something that comes late", () => {
  const classes = [...wrangler.matchAll(/^(?:# )?class_name = "(\w+)"/gm)].map(([, name]) => name!);
  expect([...Object.keys(LATE), ...OTHERS].toSorted()).toEqual(classes.toSorted());
});

describe.each(Object.entries(LATE))(
  "F37 Of a tenant that is deleted meanwhile, %s keeps nothing",
  (_, doors) => {
    trial.each(doors)("of %s %j", async (door, body) => {
      databases.length = 0;
      const erase = async (): Promise<void> => {
        await volley.advance(1_000);
        const erased = await send(volley, "/v1/tenant/delete", { tenant: "test" });
        expect(erased.status, await erased.text()).toBe(200);
        await volley.advance(1_000);
      };
      const volley: TestVolley = await createTestVolley({
        tools: [store, drop, later, publishEvent, publishLater, usesAcme, write, restoreFile],
        features: ALL_FEATURES,
        key: { flags: ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections"] },
        env: CONNECTED,
        routes: {
          "POST https://api.example.com/*": async ({ url }) => {
            if (url.includes("/slow")) await erase();
            return {};
          },
        },
      });
      if (door === "call" || door === "job") {
        const slow = { id: "slow", tool: "store_it", args: { of: "slow" } };
        const late = door === "job" ? body : { id: "late", ...body, depends_on: ["slow"] };
        await send(volley, "/v1/execute_actions", {
          subject: "ada",
          actions: door === "job" ? [late] : [slow, late],
        });
      } else {
        const [method, path] = door.split(" ") as [string, string];
        const answer = await volley.fetch(path, {
          method,
          headers: { "content-type": "application/json" },
          body: new ReadableStream(
            {
              async pull(controller) {
                await erase();
                controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
                controller.close();
              },
            },
            { highWaterMark: 0 },
          ),
          duplex: "half",
        } as RequestInit);
        await answer.text();
      }
      await volley.advance(10_000);
      volley.evict();
      await volley.advance(60 * 60_000);
      expect(databases.flatMap((one) => rowsOf(one))).toEqual([]);
    });
  },
);

/** The tables that stay: the quota, the steps of tables, and the time of the deletion. */
const STAYS = new Set(["quota", "schema_steps", "part_steps", "tools_version", "erased"]);

/** The rows of a database as text, but for those that may stay. */
function rowsOf(database: Database): string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return tables
    .map(({ name }) => String(name))
    .filter((name) => !STAYS.has(name))
    .flatMap((name) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => `${name} ${JSON.stringify(row)}`),
    );
}
