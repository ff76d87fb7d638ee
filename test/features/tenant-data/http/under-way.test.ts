import { afterAll, beforeAll, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { DECLARATION, sendIt, store } from "../../runs/http/store-tools.ts";

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

const send = (volley: TestVolley, path: string, body: object): Promise<Response> =>
  volley.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const MARK = "mark-of-the-tenant";
const ACTIONS = [
  { id: "slow", tool: "store_it", args: { of: "slow" } },
  { id: "drop", tool: "drop_it", args: { of: MARK }, depends_on: ["slow"] },
  { id: "later", tool: "store_later", args: { of: MARK }, depends_on: ["slow"] },
];
const CALLS = [
  [["store_it", "slow"]],
  [
    ["drop_it", MARK],
    ["store_later", MARK],
  ],
  [],
] as const;

test.each([
  ["a batch", { path: "/v1/execute_actions", body: { actions: ACTIONS } }],
  [
    "a batch in the background",
    { path: "/v1/execute_actions", body: { actions: ACTIONS, background: true } },
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
  async (_, { path, body, attempts = 1 }: { path: string; body: object; attempts?: number }) => {
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
    const answer = await send(volley, path, body);
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(300);
    await volley.advance(10 * 60_000);
    expect(slow).toBe(attempts);
    volley.evict();
    await volley.advance(60 * 60_000);
    expect(databases.flatMap((one) => rowsOf(one))).toEqual([]);
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
