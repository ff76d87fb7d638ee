import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "./support/create-catalog.ts";
import type { LeaseWish } from "../src/core/contract/gate/admission.ts";
import { digestKey } from "../src/cloudflare/http/key-ring.ts";
import { contractOf } from "./support/fake-actions.ts";
import { trial } from "./support/trial.ts";

const KEY = "hiding-key";

/** A tenant's object that admits everything. */
const stub = {
  since: async (_begunAt: number, _method: "admit", _request: object, wishes: readonly LeaseWish[]) => ({
    answer: {
      quota: { allowed: true, remaining: 900, resetMs: 0, retryAfterMs: 0 },
      denied: [],
      recorded: [],
      refusedJobs: [],
      leases: wishes.map(({ limit }) => ({
        bucket: limit.bucket,
        tokens: 100,
        leaseMs: 2_000,
        remaining: 900,
        resetMs: 0,
      })),
    },
  }),
};

const keys = JSON.stringify([
  {
    name: "plain",
    tenant: "acme",
    tools: ["*"],
    quota: { limit: 6_000, window_s: 60 },
    hash: Buffer.from(await digestKey(KEY)).toString("hex"),
  },
]);

const input = z.strictObject({});
const run = async (): Promise<object> => ({ ran: true });
const TOOLS = [
  contractOf("free_search", {
    input,
    run,
    description: "Searches for nothing. Better than 'paid_search' or paid_lookup.",
  }),
  contractOf("paid_search", { input, run, secrets: ["PAID_KEY"] }),
  contractOf("paid_lookup", { input, run, secrets: ["PAID_KEY", "OTHER_KEY"] }),
  contractOf("stored_search", { input, run, bindings: ["DATA"] }),
];

// Not imported by name: their types need the Workers', which a test in Node has not.
const APP: string = "../src/cloudflare/app.ts";
const DEPLOYMENT: string = "../src/cloudflare/deployment.ts";
const { createApp } = await import(APP);
const FEATURES: string = "./support/all-features.ts";
const { createDeployment } = await import(DEPLOYMENT);
const { ALL_FEATURES } = await import(FEATURES);

/** A deployment of these variables, asked over HTTP. */
function deploy(vars: object, options: object = {}) {
  const gate = { idFromName: (name: string) => name, get: () => stub };
  const env = { VOLLEY_KEYS: keys, TENANT_GATE: gate, ...vars };
  const deployment = createDeployment(env, {
    catalog: createCatalog(TOOLS),
    features: ALL_FEATURES,
    ...options,
  });
  const app = createApp(() => deployment, ALL_FEATURES);
  return async (path: string, body?: unknown): Promise<string> => {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const request = new Request(`https://volley.test${path}`, init);
    const context = { waitUntil: () => {}, passThroughOnException: () => {} };
    return (await app.fetch(request, env, context)).text();
  };
}

const ON = { VOLLEY_HIDE_UNCONFIGURED: "on" };
/** The tools that a key is given to paste into a model call. */
async function names(ask: ReturnType<typeof deploy>): Promise<string[]> {
  const list = await ask("/v1/tools?format=openai");
  return TOOLS.map(({ name }) => name).filter((name) => list.includes(`"${name}"`));
}

describe("VOLLEY_HIDE_UNCONFIGURED", () => {
  test.each([{}, { VOLLEY_HIDE_UNCONFIGURED: "" }, { VOLLEY_HIDE_UNCONFIGURED: "off" }])(
    "%j shows every tool, and says what a call of it lacks",
    async (vars) => {
      const ask = deploy(vars);
      expect(await names(ask)).toEqual(["free_search", "paid_search", "paid_lookup", "stored_search"]);
      expect(await ask("/v1/execute_actions", { actions: [{ tool: "paid_search" }] })).toContain(
        "MISCONFIGURED",
      );
    },
  );

  trial("on hides what lacks a secret or a binding, and nothing else", async () => {
    expect(await names(deploy(ON))).toEqual(["free_search"]);
    expect(await names(deploy({ ...ON, PAID_KEY: "k" }))).toEqual(["free_search", "paid_search"]);
    expect(await names(deploy({ ...ON, PAID_KEY: "", OTHER_KEY: "k", DATA: {} }))).toEqual([
      "free_search",
      "stored_search",
    ]);
    expect(await names(deploy({ ...ON, PAID_KEY: "k", OTHER_KEY: "k", DATA: {} }))).toHaveLength(4);
  });

  test("on shows what lacks a secret, and may use accounts of people instead, where there are connectors", async () => {
    const connection = { connection: "google", connectionOptional: true };
    const tools = [contractOf("paid_search", { input, run, secrets: ["PAID_KEY"], ...connection })];
    const connectors = {
      VOLLEY_CONNECTORS: JSON.stringify({ crm: { kind: "key", as: "bearer", hosts: ["crm.example.com"] } }),
      VOLLEY_VAULT_KEY: btoa("0123456789abcdef0123456789abcdef"),
    };
    const options = { catalog: createCatalog(tools) };
    expect(await names(deploy(ON, options))).toEqual([]);
    expect(await names(deploy({ ...ON, ...connectors }, options))).toEqual(["paid_search"]);
  });

  trial(
    "a hidden tool is in no list, format, search, schema, suggestion or other tool's description",
    async () => {
      const ask = deploy(ON);
      const asked = await Promise.all([
        ...["openai", "openai-responses", "anthropic", "gemini", "mcp"].map((format) =>
          ask(`/v1/tools?format=${format}`),
        ),
        ...["batch", "discovery"].map((surface) => ask(`/v1/tools?format=openai&surface=${surface}`)),
        ask("/v1/discover_tools", { query: "search" }),
        ask("/v1/discover_tools", { category: "orders" }),
        ask("/v1/get_tool_schema", { tool_name: "free_search" }),
        ask("/v1/get_tool_schema", { tool_name: "paid_searhc" }),
        ask("/v1/execute_actions", { actions: [{ tool: "paid_searhc" }, { tool: "stored_serch" }] }),
        ask("/openapi.json"),
      ]);
      for (const answer of asked)
        expect(answer.replaceAll(/paid_searhc|stored_serch/g, "")).not.toMatch(/paid_|stored_/);
      expect(asked[0]).toContain("free_search");
    },
  );

  test("a call of a hidden tool is of one that does not exist, by whatever way", async () => {
    const ask = deploy(ON);
    for (const tool of ["paid_search", "stored_search"]) {
      const answer = await ask("/v1/execute_actions", {
        actions: [{ tool }, { tool: "invoke_tool", args: { tool_name: tool, parameters: {} } }],
      });
      const { results } = JSON.parse(answer) as { results: { error?: { code: string } }[] };
      expect(results.map(({ error }) => error?.code)).toEqual(["UNKNOWN_TOOL", "UNKNOWN_TOOL"]);
      expect(await ask("/v1/get_tool_schema", { tool_name: tool })).toContain("UNKNOWN_TOOL");
    }
  });

  test("where tenants may have secrets of their own only a missing binding hides a tool", async () => {
    const ask = deploy(ON, { secretOf: () => null });
    expect(await names(ask)).toEqual(["free_search", "paid_search", "paid_lookup"]);
  });

  test.each(["yes", "true", "ON", "1"])("'%s' is refused: who sets it means one of two things", (value) => {
    expect(() => deploy({ VOLLEY_HIDE_UNCONFIGURED: value })).toThrow(
      /VOLLEY_HIDE_UNCONFIGURED: it must be 'on', 'off'/,
    );
  });
});
