import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { writePythonClient } from "../../../../scripts/clients/python-client.ts";
import { type ApiDocument, readOperations } from "../../../../scripts/clients/read-operations.ts";
import { writeTypeScriptClient } from "../../../../scripts/clients/typescript-client.ts";
import { OPERATIONS } from "../../../../src/package/client/api.ts";
import { createClient, VolleyError } from "../../../../src/package/client.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { trial } from "../../../support/trial.ts";

const EVERY_FLAG = ["approve", "manage_tools", "manage_keys", "manage_endpoints"] as const;
const deploy = () => createTestVolley({ tools: [], features: ALL_FEATURES, key: { flags: EVERY_FLAG } });

async function readDocument(): Promise<ApiDocument> {
  return (await (await deploy()).fetch("/openapi.json")).json() as Promise<ApiDocument>;
}

const pathOf = (file: string): string => fileURLToPath(new URL(`../../../../${file}`, import.meta.url).href);

const EMPTY = { summary: "Look for a tool", input_schema: { type: "object" } };

trial("The clients are those of the document: `npm run clients` writes them anew", async () => {
  const document = await readDocument();
  await expect(await writeTypeScriptClient(document)).toMatchFileSnapshot(
    pathOf("src/package/client/api.ts"),
  );
  await expect(writePythonClient(document)).toMatchFileSnapshot(
    pathOf("clients/python/volley_client/api.py"),
  );
});

trial("No two operations have one name, and each path that a client may call has one", async () => {
  const document = await readDocument();
  const names = readOperations(document).map(({ group, name }) => `${group}.${name}`);
  expect(new Set(names).size).toBe(names.length);
  const routes = Object.values(OPERATIONS).flatMap((group) =>
    Object.values(group as Readonly<Record<string, readonly string[]>>).map(
      ([method, path]) => `${method} ${path}`,
    ),
  );
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.filter((route) => !routes.includes(route)).toSorted()).toEqual([
    "POST /hooks/{tenant}/{id}",
    "POST /mcp",
  ]);
});

trial(
  "Paths whose fields may all be left out take no body, whether a type is named or not, as an object without fields",
  async () => {
    const volley = await deploy();
    const bodiless = Object.entries((await readDocument()).paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { requestBody }]) => requestBody?.required === false)
        .map(([method]) => [method.toUpperCase(), path] as const),
    );
    expect(bodiless).toContainEqual(["POST", "/v1/endpoints/{id}/test"]);
    for (const [method, path] of bodiless) {
      const ask = async (init: RequestInit): Promise<unknown> => {
        const asked = await volley.fetch(path.replaceAll("{id}", "no-such"), { method, ...init });
        const { request_id: _, ...answer } = (await asked.json()) as Readonly<Record<string, unknown>>;
        return [path, asked.status, answer];
      };
      const headers = { "content-type": "application/json" };
      const fieldless = await ask({ body: "{}", headers });
      expect(await ask({})).toEqual(fieldless);
      expect(await ask({ body: new Uint8Array() })).toEqual(fieldless);
      expect(await ask({ headers: { ...headers, "content-length": "0" } })).toEqual(fieldless);
      // Bytes without a type are a body, and no filter of theirs is passed over.
      const untyped = await ask({ body: new TextEncoder().encode('{"status":"error"}') });
      expect(untyped).toMatchObject([path, 415, { code: "UNSUPPORTED_MEDIA_TYPE" }]);
    }
  },
);

describe("Every path of the API, by group and name:", () => {
  test("a flow is kept, listed, run, seen as a run and deleted", async () => {
    const volley = await deploy();
    const { api } = volley.client;
    const flow = { ...EMPTY, actions: [{ id: "find", tool: "discover_tools", args: { limit: 1 } }] };
    expect(await api.flows.put("look", flow)).toMatchObject({ name: "look" });
    expect((await api.flows.list()).flows.map(({ name }) => name)).toEqual(["look"]);
    const answer = await api.flows.run("look", {}, { idempotencyKey: "once" });
    expect(answer).toMatchObject({ summary: { total: 1, ok: 1 } });
    await volley.advance(2_000);
    const { runs } = await api.runs.list({ source: "flow", limit: 5 });
    expect(runs).toMatchObject([{ flow: "look", status: "success" }]);
    expect(await api.runs.get(runs[0]!.run_id)).toMatchObject({ run_id: runs[0]!.run_id });
    expect(await api.flows.delete("look")).toBeUndefined();
    await expect(api.flows.get("look")).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
  });

  trial(
    "an endpoint is kept under an id with characters that a path cannot hold, changed, and gets an event",
    async () => {
      const { eventTypes, endpoints, events } = (await deploy()).client.api;
      await eventTypes.put("order.paid", { description: "Somebody paid" });
      const kept = await endpoints.put("shop:1@eu", {
        url: "https://shop.example.com/hooks",
        events: ["order.*"],
      });
      expect(kept.secret).toMatch(/^whsec_/);
      expect(await endpoints.update("shop:1@eu", { paused: true })).toMatchObject({ state: "paused" });
      expect(await endpoints.list({ state: "paused" })).toMatchObject({ endpoints: [{ id: "shop:1@eu" }] });
      expect(await events.publish({ type: "order.paid", data: {} })).toMatchObject({ endpoints: 0 });
    },
  );

  test("what is refused rejects with the server's code, and what was wrong", async () => {
    const flow = { ...EMPTY, actions: [{ tool: "no_such_tool" }] };
    const { api } = (await deploy()).client;
    const refused = await api.flows.put("look", flow).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(VolleyError);
    expect((refused as VolleyError).issues.length).toBeGreaterThan(0);
  });

  test("bytes come as they are, and a lost question is asked again, and a lost PUT, and no lost POST", async () => {
    const sent: string[] = [];
    const client = createClient({
      url: "https://volley.example.com",
      key: "k",
      sleep: async () => {},
      fetch: async (url, { method }) => {
        sent.push(`${method} ${new URL(url).pathname}${new URL(url).search}`);
        if (sent.filter((line) => line === sent.at(-1)).length === 1) throw new TypeError("fetch failed");
        return url.includes("/objects/") ? new Response("bytes") : Response.json({});
      },
    });
    expect(await (await client.api.objects.get("a/b")).text()).toBe("bytes");
    await client.api.runs.list({ tag: "a b" });
    await client.api.flows.put("f", { ...EMPTY, actions: [] });
    await expect(client.api.flows.run("f", {})).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await client.api.flows.run("f", {}, { idempotencyKey: "once" });
    expect(sent).toEqual([
      "GET /v1/objects/a%2Fb",
      "GET /v1/objects/a%2Fb",
      "GET /v1/runs?tag=a+b",
      "GET /v1/runs?tag=a+b",
      "PUT /v1/flows/f",
      "PUT /v1/flows/f",
      "POST /v1/flows/f/run",
      "POST /v1/flows/f/run",
    ]);
  });
});
