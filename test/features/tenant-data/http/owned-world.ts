import * as z from "zod/mini";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { API, openConnections } from "../../connections/http/connection-world.ts";
import { base } from "../../connections/http/mailbox-tool.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { configureKeys } from "../../../support/configured-keys.ts";

/** Marks every argument and answer of the owner, so that a stranger who reads one is found out. */
export const MARK = "of-ada-alone";

const SHOP = "https://shop.example.com/hooks";
const EVERYTHING: readonly string[] = [
  "approve",
  "manage_tools",
  "manage_keys",
  "manage_endpoints",
  "manage_connections",
];

/** The key that everything is asked with, before it is granted fewer tools and is another. */
const ADA = { name: "ada", flags: ["approve", "manage_connections"], subject: "ada" };

/** Who asks for what is not theirs, with the kinds of things that are theirs too: a tenant whose name begins alike, another subject, fewer tools. */
export const STRANGERS: readonly (readonly [who: string, key: string, shared: ReadonlySet<string>])[] = [
  ["another tenant", "elsewhere-key", new Set()],
  ["another subject", "grace-key", new Set(["flows", "objects"])],
  ["a key for fewer tools", "narrow-key", new Set(["objects"])],
  ["the same key, since it has fewer tools", "ada-key", new Set(["connections", "objects", "runs"])],
];

const tool = (name: string, path: string, more: object = {}) =>
  defineTool({
    ...base,
    isWrite: true,
    name,
    input: z.strictObject({ text: z.optional(z.string()) }),
    run: async ({ text }, ctx) => ({
      said: text,
      ...((await ctx.fetch(`${API}/${path}`, { method: "POST" })).json() as object),
    }),
    ...more,
  });
const TOOLS = [
  tool("says", "said"),
  tool("later", "later", { execution: "fire-and-forget" }),
  tool("broken", "broken", { execution: "fire-and-forget" }),
  tool("asked", "said", { actions: ["delete"] }),
  tool("hangs", "hangs", { timeoutMs: 60_000 }),
  tool("shared", "said"),
];

const REGISTERED = {
  summary: "Say something",
  description: "Say something. Size: about 10 tokens.",
  category: "words",
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: {} },
  http: { method: "GET", url: `${API}/said` },
};

/** A file of the bucket, as its binding gives it. */
const bucketOf = (files: Readonly<Record<string, string>>) => ({
  get: async (key: string) => {
    const body = Object.hasOwn(files, key) ? new Response(files[key]).body : null;
    return body && { body, httpEtag: '"tag"', size: files[key]!.length, httpMetadata: {} };
  },
  list: async () => ({ objects: [], truncated: false }),
});

/** Ids of what is owned by what they are ids of, each with a name. */
export type Owned = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Open a Volley in which a tenant has one of everything that has an id, all of it of one subject and of tools that the key for fewer
 * tools may not call.
 */
export async function openOwned() {
  const own = new Set(["discovery", "confirmations", "connections", "tenant-data", "keys"]);
  const world = await openConnections({
    tools: TOOLS,
    features: ALL_FEATURES.filter(({ name }) => !own.has(name)),
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "boss", tenant: "acme", flags: EVERYTHING },
        "elsewhere-key": { name: "boss", tenant: "acme-2", flags: EVERYTHING },
        "grace-key": {
          name: "grace",
          tenant: "acme",
          flags: ["approve", "manage_connections"],
          subject: "grace",
        },
        "narrow-key": { name: "narrow", tenant: "acme", flags: ["approve"], tools: ["shared"] },
      }),
      OBJECTS: bucketOf({ "acme/report.txt": MARK }),
    },
    routes: {
      [`POST ${API}/said`]: { done: MARK },
      [`GET ${API}/said`]: { done: MARK },
      [`POST ${API}/later`]: () => new Response(MARK, { status: 503, headers: { "retry-after": "3600" } }),
      [`POST ${API}/broken`]: () => new Response(MARK, { status: 503 }),
      [`POST ${API}/hangs`]: () => new Promise(() => {}),
      [`POST ${SHOP}`]: () => new Response("no", { status: 500 }),
    },
  });
  const { send, volley } = world;
  const must = async (...args: Parameters<typeof send>) => {
    const answer = await send(...args);
    if (answer.status >= 300)
      throw new Error(`Cannot make '${args[0]} ${args[1]}': ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const makeAda = async (tools: readonly string[]) => {
    const { key } = await must("POST", "/v1/keys", { ...ADA, tools });
    return { authorization: `Bearer ${key}` };
  };
  const ada = await makeAda(["*"]);
  const args = { text: MARK };
  const run = (actions: readonly object[], more: object = {}) =>
    must("POST", "/v1/execute_actions", { actions, ...more }, ada);
  const dead = await run([{ tool: "broken", args }]);
  await volley.advance(3_600_000);
  const connection = await world.connect("ada", `${MARK}@acme.dev`);
  const batch = await run(["says", "later", "asked"].map((name) => ({ tool: name, args })));
  const decided = await run([{ tool: "asked", args }]);
  await must("POST", `/v1/confirmations/${decided.results[0].confirmation.id}`, { decision: "approve" }, ada);
  const kept = await run([{ tool: "asked", args: { text: `${MARK} kept` } }]);
  const yes = { decision: "approve", remember_s: 86_400 };
  await must("POST", `/v1/confirmations/${kept.results[0].confirmation.id}`, yes);
  const { remembered } = await must("GET", "/v1/remembered");
  const ended = await run([{ tool: "says", args }], { background: true });
  await must("PUT", "/v1/tools/registered", REGISTERED);
  await must("PUT", "/v1/flows/whole", {
    summary: "Say it",
    input_schema: { type: "object", properties: {} },
    actions: [{ id: "one", tool: "says", args }],
    answer: { $ref: "one#" },
  });
  await must("POST", "/v1/keys", { name: "spare-one", tools: ["*"] });
  await must("PUT", "/v1/event_types/order.paid", {
    description: MARK,
    schema: { type: "object" },
    example: {},
  });
  await must("PUT", "/v1/endpoints/shop", { url: SHOP, description: MARK, events: ["*"] });
  const event = await must("POST", "/v1/events", { type: "order.paid", data: { of: MARK } });
  await must("POST", "/v1/portal_links", { customer: "c_42" });
  await volley.advance(3_000);
  const goesOn = await run(
    [
      { tool: "says", args },
      { tool: "hangs", args },
    ],
    { background: true },
  );
  await volley.advance(3_000);
  const { deliveries } = await must("GET", "/v1/deliveries");
  await must("DELETE", "/v1/keys/ada");
  const narrowed = await makeAda(["shared"]);
  const owned: Owned = {
    jobs: {
      waiting: batch.results[1].job_id,
      dead: dead.results[0].job_id,
      background: ended.job_id,
      "background under way": goesOn.job_id,
    },
    runs: {
      batch: batch.batch_id,
      decided: decided.batch_id,
      background: ended.job_id,
      "background under way": goesOn.run_id,
    },
    confirmations: {
      open: batch.results[2].confirmation.id,
      decided: decided.results[0].confirmation.id,
    },
    remembered: { kept: remembered[0].id },
    connections: { active: connection },
    tools: { registered: "registered" },
    flows: { whole: "whole" },
    keys: { made: "spare-one" },
    events: { published: event.event_id },
    event_types: { declared: "order.paid" },
    endpoints: { kept: "shop" },
    deliveries: { tried: deliveries[0].delivery_id },
    objects: { file: "report.txt" },
  };
  /** Say which key a request is sent with. */
  const as = (key: string) => (key === "ada-key" ? narrowed : { authorization: `Bearer ${key}` });
  return { ...world, must, owned, as };
}
