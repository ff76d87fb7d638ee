import { expect, test } from "vitest";
import * as z from "zod";

import { defineTool, type ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import { CORE_ROUTES } from "../../../../src/cloudflare/routes/execute-actions.ts";
import { openRoutersOf, routersOf } from "../../../../src/cloudflare/app.ts";
import { routerOf } from "../../../../src/cloudflare/openapi/route.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { readOperations } from "../../../support/api-document.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { SHIPPED_FLAGS } from "../../../../src/shipped.ts";

const KEY_FLAGS = Object.keys(SHIPPED_FLAGS);

const toolOf = (name: string, declared: Partial<ToolDeclaration>) =>
  defineTool({
    name,
    summary: "Do it",
    description: "Do it.",
    category: "notes",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.looseObject({}),
    hosts: ["notes.dev"],
    orchestration: { mode: "parallel-safe" },
    run: async (_, ctx) => (await ctx.fetch("https://notes.dev/", { method: "POST" })).json(),
    ...declared,
  });

const TOOLS = [
  toolOf("look", { run: async () => ({}) }),
  toolOf("note", { actions: ["create"], isWrite: true, execution: "fire-and-forget" }),
  toolOf("drop", { actions: ["delete"], isWrite: true, run: async () => ({}) }),
];

const OWNER = {
  tenant: "acme",
  flags: KEY_FLAGS.filter((flag) => flag !== "skip_approval"),
  quota: { limit: 10_000, window_s: 60 },
};
const SMALL_QUOTA = { limit: 1, window_s: 86_400 };

const volley = await createTestVolley({
  tools: TOOLS,
  features: ALL_FEATURES,
  routes: {
    "POST https://notes.dev/": () => new Response("no", { status: 400 }),
    "POST https://shop.dev/": () => new Response(null, { status: 500 }),
  },
  env: {
    VOLLEY_KEYS: await configureKeys({
      "test-key": { name: "owner", ...OWNER },
      small: { name: "small", ...OWNER, quota: SMALL_QUOTA },
    }),
    VOLLEY_VAULT_KEY: btoa("0123456789abcdef0123456789abcdef"),
    LLM_BASE_URL: "https://model.dev/v1",
    LLM_API_KEY: "k",
    ANTHROPIC_BASE_URL: "https://model.dev",
    ANTHROPIC_API_KEY: "k",
    VOLLEY_RETURN_ORIGINS: "https://app.dev",
    VOLLEY_CONNECTORS: JSON.stringify({
      crm: { kind: "key", as: { header: "x-api-key" }, hosts: ["api.acme.dev"] },
    }),
  },
});

const send = (route: string, body?: unknown, key = "test-key"): Promise<Response> => {
  const [method = "", path = ""] = route.split(" ");
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream;q=0.1",
  };
  return volley.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
};

interface Made {
  readonly batch_id: string;
  readonly results: readonly { readonly job_id: string; readonly confirmation: { readonly id: string } }[];
  readonly deliveries: readonly { readonly delivery_id: string }[];
}

async function make(route: string, body?: unknown): Promise<Made> {
  const answer = await send(route, body);
  const text = await answer.text();
  expect([route, answer.status < 300, text]).toEqual([route, true, text]);
  return JSON.parse(text) as Made;
}

const ran = (tool: string): Promise<Made> => make("POST /v1/execute_actions", { actions: [{ tool }] });

/** One of everything that a path may name. */
async function makeThings(): Promise<Readonly<Record<string, string>>> {
  await make("PUT /v1/endpoints/e", { url: "https://shop.dev/", events: ["x"] });
  await make("POST /v1/events", { type: "x", data: {} });
  const [job] = (await ran("note")).results;
  await volley.advance(4 * 86_400_000);
  const flow = { summary: "A flow", input_schema: { type: "object" }, actions: [{ tool: "look" }] };
  await make("PUT /v1/flows/f_one", flow);
  const [question] = (await ran("drop")).results;
  const [delivery] = (await make("GET /v1/deliveries")).deliveries;
  const { batch_id: run } = await ran("look");
  // Then the log has it.
  await volley.advance(60_000);
  return {
    jobs: job!.job_id,
    confirmations: question!.confirmation.id,
    flows: "f_one",
    endpoints: "e",
    runs: run,
    deliveries: delivery!.delivery_id,
  };
}

const listRoutes = (routers: readonly { readonly routes: readonly Route[] }[]): readonly string[] => {
  const named = routers.flatMap(({ routes }) => routes);
  return [...new Set(named.map(({ method, path }) => `${method === "ALL" ? "POST" : method} ${path}`))];
};
type Route = { readonly method: string; readonly path: string };

const KEYED = listRoutes([routerOf("any key", CORE_ROUTES), ...routersOf(ALL_FEATURES)]);
const OPEN = listRoutes(openRoutersOf(ALL_FEATURES));

const things = await makeThings();
const operations = readOperations(await (await volley.fetch("/openapi.json")).text());
const exampleOf = (route: string): unknown => {
  const documented = route.replace(":id", "{id}");
  const operation = operations.find(({ method, path }) => `${method} ${path}` === documented);
  expect(operation, `${route} is documented`).toBeDefined();
  return operation!.requestBody?.content?.["application/json"]?.example;
};

// Both allowances of the small key: one request that runs something, and five that run nothing.
await send("POST /v1/execute_actions", { actions: [{ tool: "look" }] }, "small");
for (let n = 0; n < 5; n += 1) await send("GET /v1/jobs", undefined, "small");

test.each(KEYED)("T60 a key that has used up both allowances is refused with 429 at %s", async (route) => {
  const kind = route.split("/")[2] ?? "";
  const answer = await send(route.replace(":id", things[kind] ?? "some"), exampleOf(route), "small");
  const text = await answer.text();
  expect([answer.status, text]).toEqual([429, text]);
  expect(text).toMatch(/QUOTA_EXCEEDED|rate_limit|may send/);
  expect(answer.headers.has("retry-after")).toBe(true);
});

/** A flow is looked for among the tools that the isolate holds: nothing is asked for it. */
const LOOKED_FOR_IN_MEMORY = ["POST /v1/flows/:id/run"];

test.each(KEYED.filter((route) => route.includes(":id") && !LOOKED_FOR_IN_MEMORY.includes(route)))(
  "T60 a request that finds nothing to run has looked, and draws too: %s",
  async (route) => {
    const none = "00000000-0000-4000-8000-999999999999";
    const answer = await send(route.replace(":id", none), exampleOf(route), "small");
    expect(answer.status).toBe(429);
  },
);

/** The doors before the key, and the allowance of each. */
const OPEN_DOORS: Readonly<Record<string, string>> = {
  "/approvals/": "240 a minute a link, and an address for links that are not known",
  "/hooks/": "a delivery that proves itself becomes a run, of which a flow has so many at once",
  "/connect/": "so many a minute an address",
  "/v1/connections/": "so many a minute an address",
  "/portal": "a static page",
  "/v1/portal": "240 a minute a link, and an address for links that are not known",
  "/authorize": "so many a minute an address",
  "/oauth/": "so many a minute an address",
  "/.well-known/": "a static answer",
};

test("T60 each door before the key has an allowance of its own, or is a page", () => {
  const unknown = OPEN.filter(
    (route) => !Object.keys(OPEN_DOORS).some((door) => route.split(" ")[1]!.startsWith(door)),
  );
  expect(unknown).toEqual([]);
});
