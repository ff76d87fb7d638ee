import * as z from "zod";

import { routersOf } from "../../src/cloudflare/app.ts";
import { routerOf } from "../../src/cloudflare/openapi/route.ts";
import { CORE_ROUTES } from "../../src/cloudflare/routes/execute-actions.ts";
import { defineTool, type ToolDeclaration } from "../../src/core/catalog/define-tool.ts";
import { createTestVolley, type TestVolley } from "../../src/package/testing.ts";
import { SHIPPED_FLAGS } from "../../src/shipped.ts";
import { ALL_FEATURES } from "./all-features.ts";
import { type DocumentedOperation, readOperations } from "./api-document.ts";
import { configureKeys } from "./configured-keys.ts";

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
  toolOf("hidden_note", { actions: ["create"], isWrite: true, execution: "fire-and-forget" }),
  toolOf("hidden_drop", { actions: ["delete"], isWrite: true, run: async () => ({}) }),
];

const OWNER = {
  tenant: "acme",
  flags: Object.keys(SHIPPED_FLAGS).filter((flag) => flag !== "skip_approval"),
  quota: { limit: 10_000, window_s: 60 },
};

/** A request to a route, by its key; the owner's unless said. */
export interface DoorRequest {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it is sent; what the document gives as an example unless said. */
  readonly body?: string | undefined;
  /** The id in its path; that of something that is there unless said. */
  readonly id?: string;
}

/** Every route of a Volley with all features, and one of everything that a path may name. */
export interface DoorWorld {
  /** `METHOD path` of each route behind the key, as the router has it. */
  readonly keyed: readonly string[];
  /** The routes before the key. */
  readonly open: readonly string[];
  send(route: string, request?: DoorRequest): Promise<{ readonly answer: Response; readonly text: string }>;
}

export async function openDoors(): Promise<DoorWorld> {
  const volley = await createTestVolley({
    tools: TOOLS,
    features: ALL_FEATURES,
    routes: {
      "POST https://notes.dev/": () => new Response("no", { status: 400 }),
      "POST https://shop.dev/": () => new Response(null, { status: 500 }),
    },
    env: {
      VOLLEY_LOG: "all",
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "owner", ...OWNER },
        small: { name: "small", ...OWNER, quota: { limit: 1, window_s: 86_400 } },
        narrow: { name: "narrow", ...OWNER, tools: ["look"] },
        person: { name: "person", tenant: "acme", subject: "ada", flags: ["approve", "manage_connections"] },
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
  const operations = readOperations(await (await volley.fetch("/openapi.json")).text());
  const things = await makeThings(volley);
  const routers = routersOf(ALL_FEATURES);
  return {
    keyed: listRoutes([routerOf("any key", CORE_ROUTES), ...routers.keyed]),
    open: listRoutes(routers.open),
    async send(route, { key = "test-key", headers = {}, body = exampleOf(operations, route), id } = {}) {
      const placed = route.replace(":id", id ?? things[route.split("/")[2] ?? ""] ?? "some");
      const answer = await sendTo(volley, placed, { key, headers, body });
      return { answer, text: await answer.text() };
    },
  };
}

function sendTo(
  volley: TestVolley,
  route: string,
  { key = "test-key", headers, body }: DoorRequest,
): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  return volley.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream;q=0.1",
      ...headers,
    },
    ...(body !== undefined && method !== "GET" && { body }),
  });
}

function exampleOf(operations: readonly DocumentedOperation[], route: string): string | undefined {
  const known = operations.find(({ method, path }) => `${method} ${path}`.replace("{id}", ":id") === route);
  if (known === undefined) throw new Error(`Cannot find ${route} in the document`);
  const example: unknown = known.requestBody?.content?.["application/json"]?.example;
  return example === undefined ? undefined : JSON.stringify(example);
}

interface Made {
  readonly batch_id: string;
  readonly results: readonly { readonly job_id: string; readonly confirmation: { readonly id: string } }[];
  readonly deliveries: readonly { readonly delivery_id: string }[];
}

async function makeThings(volley: TestVolley): Promise<Readonly<Record<string, string>>> {
  const make = async (route: string, body?: unknown): Promise<Made> => {
    const answer = await sendTo(volley, route, {
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Cannot make what ${route} makes: ${text}`);
    return JSON.parse(text) as Made;
  };
  const ran = (tool: string): Promise<Made> => make("POST /v1/execute_actions", { actions: [{ tool }] });
  await make("PUT /v1/endpoints/e", { url: "https://shop.dev/", events: ["x"] });
  await make("POST /v1/events", { type: "x", data: {} });
  const [job] = (await ran("hidden_note")).results;
  await volley.advance(4 * 86_400_000);
  const flow = { summary: "A flow", input_schema: { type: "object" }, actions: [{ tool: "look" }] };
  await make("PUT /v1/flows/f_one", flow);
  const [question] = (await ran("hidden_drop")).results;
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

interface Router {
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

function listRoutes(routers: readonly Router[]): readonly string[] {
  const named = routers.flatMap(({ routes }) => routes);
  return [...new Set(named.map(({ method, path }) => `${method === "ALL" ? "POST" : method} ${path}`))];
}
