import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createTestVolley, type TestVolley } from "../../src/package/testing.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";
import { nameIds } from "./name-ids.ts";
import { trial } from "../support/trial.ts";

// The wire and the rows, byte for byte: a change of the code's shape alone changes no file of this folder. A change that is meant is
// written by `npx vitest run --project core test/golden --update`, and read in its diff.

const ORIGIN = "https://probe.sandbox.test";

type Ask = readonly [path: string, body?: object | string, method?: string];

/** As much of `node:sqlite` as is used. */
interface Database {
  prepare(sql: string): { all(): Readonly<Record<string, unknown>>[] };
}

const { process } = globalThis as unknown as { process: { getBuiltinModule(name: string): unknown } };
const sqlite = process.getBuiltinModule("node:sqlite") as { DatabaseSync: new (path: string) => Database };

/** Every database that an object made, in that order. */
const databases: Database[] = [];
const { DatabaseSync } = sqlite;

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

async function open(): Promise<TestVolley> {
  const volley = await createTestVolley({
    tools: [...SHIPPED_TOOLS, ...createProbeTools(ORIGIN)],
    features: ALL_FEATURES,
    key: {
      flags: ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"],
    },
    env: {
      PROBE_ORIGIN: ORIGIN,
      LLM_BASE_URL: "https://model.sandbox.test/v1",
      LLM_API_KEY: "sandbox",
      LLM_MODEL: "sandbox-model",
      ANTHROPIC_BASE_URL: "https://model.sandbox.test",
      ANTHROPIC_API_KEY: "sandbox",
    },
    routes: Object.fromEntries(
      ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [
        `${method} *`,
        ({ url, headers, body }) => {
          const init = { method, headers, ...(body !== undefined && { body }) };
          return routeUpstream(new Request(url, init), INSTANT_PORTS);
        },
      ]),
    ),
  });
  // The quota of lists in the answers that were written down counts one before them.
  await volley.fetch("/v1/jobs");
  return volley;
}

/** Headers that tell of the machine, or of the body. */
const NOT_FIXED: ReadonlySet<string> = new Set(["content-length", "server-timing"]);

/** Ask one thing after another, and write down each answer: its status, the headers that mean something, its body. */
async function tell(volley: TestVolley, asks: readonly Ask[]): Promise<string> {
  const told: string[] = [];
  for (const [path, body, method = body === undefined ? "GET" : "POST"] of asks) {
    const answer = await volley.fetch(path, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    });
    const headers = [...answer.headers].filter(([name]) => !NOT_FIXED.has(name));
    told.push(
      `# ${method} ${path}\n${answer.status}\n${headers.map((header) => header.join(": ")).join("\n")}\n\n${await answer.text()}`,
    );
    await volley.advance(1_000);
  }
  return nameIds(`${told.join("\n\n")}\n`);
}

const ASKED = { messages: [{ role: "user", content: "How is the weather in Phoenix?" }] };
const DELETES = {
  messages: [{ role: "user", content: 'call probe-delete {"id": "lamp-1"}\ncall probe-echo {"n": 1}' }],
};
const OF_MESSAGES = { model: "any", max_tokens: 500 };
const INPUT = (from: typeof ASKED) => ({ model: "any", store: false, input: from.messages });

const BATCH = {
  actions: [
    { id: "good", tool: "probe-echo", args: { n: 1 } },
    { id: "after", tool: "probe-echo", args: { n: { $ref: "good#/n" } } },
    { id: "bad", tool: "probe-echo", args: { n: "one" } },
    { id: "unknown", tool: "probe-ecco", args: {} },
    { id: "refused", tool: "probe-write", args: { n: 2, status: 404 } },
    { id: "skipped", tool: "probe-echo", args: { n: { $ref: "refused#/n" } } },
    { id: "later", tool: "probe-background", args: { n: 3 } },
    { id: "asked", tool: "probe-delete", args: { id: "lamp-1" } },
    { id: "doubt", tool: "probe-write", args: { n: 4, status: 503 } },
    { id: "loop", tool: "probe-echo", for_each: { $ref: "list#/items" }, args: { n: 1 } },
  ],
};

const FLOW = {
  summary: "Echo twice",
  description: "Echoes a number twice.",
  input_schema: {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  },
  actions: [
    { id: "one", tool: "probe-echo", args: { n: { $ref: "input#/n" } } },
    { id: "two", tool: "probe-echo", args: { n: { $ref: "one#/n" } } },
  ],
  answer: { $ref: "two#/n" },
};

const TOOL = {
  summary: "Look an order up",
  description: "Gives an order of the shop.",
  category: "shop",
  actions: ["read"],
  is_write: false,
  http: { method: "GET", url: `${ORIGIN}/echo`, query: ["n"] },
  input_schema: {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  },
};

const CALL = { id: "call_1", type: "function", function: { name: "probe-echo", arguments: '{"n": 1}' } };

/** The requests of each scene, by the name of its file. */
const SCENES: Readonly<Record<string, readonly Ask[]>> = {
  batch: [
    ["/v1/execute_actions", BATCH],
    ["/v1/execute_actions", { ...BATCH, dry_run: true }],
    ["/v1/execute_actions", { actions: [] }],
    ["/v1/execute_actions", "{"],
    ["/v1/jobs"],
    ["/v1/confirmations"],
    ["/v1/runs"],
    ["/v1/usage"],
  ],
  discovery: [
    ["/v1/tools"],
    ["/v1/tools?format=openai"],
    ["/v1/tools?format=anthropic"],
    ["/v1/tools?format=gemini"],
    ["/v1/discover_tools", { query: "weather" }],
    ["/v1/get_tool_schema", { tools: ["probe-delete"] }],
    ["/v1/invoke_tool", { tool: "probe-echo", parameters: { n: 1 } }],
    ["/api/orchestration/batch", { tools: [{ name: "probe-echo", input: { n: 1 } }] }],
    ["/v1/openai/tool_calls", { tool_calls: [CALL] }],
    ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
    ["/nowhere"],
  ],
  chat: [
    ["/v1/chat/completions", ASKED],
    ["/v1/chat/completions", { ...ASKED, stream: true, stream_options: { include_usage: true } }],
    ["/v1/chat/completions", DELETES],
    ["/v1/chat/completions", { ...ASKED, n: 2 }],
  ],
  messages: [
    ["/v1/messages", { ...OF_MESSAGES, ...ASKED }],
    ["/v1/messages", { ...OF_MESSAGES, ...ASKED, stream: true }],
    ["/v1/messages", { ...OF_MESSAGES, ...DELETES }],
    ["/v1/messages", { ...OF_MESSAGES, ...ASKED, volley: { unknown: 1 } }],
  ],
  responses: [
    ["/v1/responses", INPUT(ASKED)],
    ["/v1/responses", { ...INPUT(ASKED), stream: true }],
    ["/v1/responses", INPUT(DELETES)],
    ["/v1/responses", { ...INPUT(ASKED), store: true }],
  ],
  kept: [
    ["/v1/flows/echo-twice", FLOW, "PUT"],
    ["/v1/flows/echo-twice"],
    ["/v1/flows/echo-twice/run", { input: { n: 7 } }],
    ["/v1/tools/look_up", TOOL, "PUT"],
    ["/v1/tools/look_up"],
    ["/v1/execute_actions", { actions: [{ tool: "look_up", args: { n: 9 } }] }],
    ["/v1/flows"],
    ["/v1/keys", { name: "made", tools: ["probe"] }],
    ["/v1/keys"],
    ["/v1/endpoints/shop", { url: "https://shop.acme.dev/hooks", events: ["*"] }, "PUT"],
    ["/v1/event_types/order.paid", { description: "An order is paid.", example: { total: 1 } }, "PUT"],
    ["/v1/events", { type: "order.paid", data: { total: 5 }, id: "o-1" }],
    ["/v1/events"],
    ["/v1/deliveries"],
    ["/v1/endpoints/shop"],
    ["/v1/execute_actions", { ...BATCH, background: true }],
    ["/v1/jobs"],
    ["/v1/runs"],
    ["/v1/export"],
  ],
};

describe("The wire stays as it is, byte for byte", () => {
  trial("its document", async () => {
    const volley = await open();
    const answer = await volley.fetch("/openapi.json");
    const document: unknown = await answer.json();
    await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot("wire/document.txt");
  });

  test.each(Object.entries(SCENES))("the answers of a scene: %s", async (name, asks) => {
    const volley = await open();
    await expect(await tell(volley, asks)).toMatchFileSnapshot(`wire/${name}.txt`);
  });

  trial("the rows of every kind of object", async () => {
    databases.length = 0;
    const volley = await open();
    await tell(volley, [...SCENES["batch"]!, ...SCENES["chat"]!, ...SCENES["kept"]!]);
    await volley.advance(60_000);
    await expect(nameIds(dump(databases))).toMatchFileSnapshot("wire/rows.txt");
  });
});

/** Write down databases: the tables of each class, and the rows of all its objects, since chance says which object a key lies in. */
function dump(all: readonly Database[]): string {
  const classes = new Map<string, Map<string, Set<string>>>();
  for (const database of all) {
    const tables = database.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
    const schema = JSON.stringify(tables);
    const rowsOf = classes.get(schema) ?? new Map(tables.map(({ sql }) => [String(sql), new Set<string>()]));
    classes.set(schema, rowsOf);
    for (const { name, sql } of tables) {
      if (!String(sql).startsWith("CREATE TABLE")) continue;
      const rows = database.prepare(`SELECT * FROM "${String(name)}"`).all();
      for (const row of rows) rowsOf.get(String(sql))!.add(`${JSON.stringify(row, toText)}\n`);
    }
  }
  return [...classes.values()]
    .flatMap((rowsOf) => [...rowsOf].map(([sql, rows]) => `${sql};\n${[...rows].join("")}`))
    .join("");
}

const toText = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? `${value.length} bytes` : value;
