import { describe, expect, test } from "vitest";

import type { SentRequest } from "../../../../src/package/testing.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { imports } from "../../../../src/features/imports/index.ts";
import { API, openConnections } from "./connection-world.ts";
import { declare } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Mail", version: "1" },
  servers: [{ url: API }],
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  paths: {
    "/mailbox": {
      get: { operationId: "readMailbox", summary: "Read", security: [{ token: [] }], responses: {} },
    },
    "/open": { get: { operationId: "readOpen", summary: "Read", security: [], responses: {} } },
  },
};

/** Open a Volley whose tenant adds tools, with two people's accounts and an MCP server that knows each by their token. */
async function openDeclared() {
  const sessions: string[] = [];
  const world = await openConnections({
    features: [addedTools(), imports()],
    key: { flags: ["manage_connections", "manage_tools"] },
    routes: {
      [`POST ${API}/mcp`]: (sent: SentRequest) => {
        const token = (sent.headers["authorization"] ?? "").replace("Bearer ", "");
        const account = world.provider.accounts.get(token);
        if (account === undefined) return Response.json({}, { status: 401 });
        const { id, method } = sent.json() as { id?: number; method: string };
        if (id === undefined) return new Response(null, { status: 202 });
        if (method === "server/discover")
          return { jsonrpc: "2.0", id, error: { code: -32_601, message: "unknown" } };
        if (method === "initialize") {
          sessions.push(account);
          const result = {
            protocolVersion: "2025-06-18",
            capabilities: {},
            serverInfo: { name: "m", version: "1" },
          };
          return Response.json(
            { jsonrpc: "2.0", id, result },
            { headers: { "mcp-session-id": `session-of-${account}` } },
          );
        }
        expect(sent.headers["mcp-session-id"]).toBe(`session-of-${account}`);
        const tool = {
          name: "whose",
          description: "Say whose mailbox it is.",
          inputSchema: { type: "object", properties: {} },
          annotations: { readOnlyHint: true },
        };
        const result =
          method === "tools/list"
            ? { tools: [tool] }
            : { content: [], structuredContent: { mailbox: account } };
        return { jsonrpc: "2.0", id, result };
      },
      [`GET ${API}/open`]: ({ headers }) => ({ token: headers["authorization"] ?? null }),
    },
  });
  await world.connect("ada", "ada@acme.dev");
  await world.connect("grace", "grace@acme.dev");
  const run = async (tool: string, subject?: string) =>
    (await world.send("POST", "/v1/execute_actions", { subject, actions: [{ tool }] })).body.results[0];
  return { ...world, run, sessions };
}

describe("The account of a subject, in a declaration", () => {
  test.each([["acme"], [{ acme: ["mail.read"] }]])(
    "is used by a tool that a tenant adds: %j",
    async (connection) => {
      const { send, run } = await openDeclared();
      expect((await send("PUT", "/v1/tools/mine", declare({ connection }))).status).toBe(201);
      for (const subject of ["ada", "grace"])
        expect(await run("mine", subject)).toMatchObject({ data: { mailbox: `${subject}@acme.dev` } });
      expect((await run("mine")).error.code).toBe("CONNECTION_REQUIRED");
      expect((await run("mine", "joan")).error.connect_url).toContain("/connect/");
    },
  );

  trial("goes to its connector's hosts only, and to no connector of another tenant's", async () => {
    const { send } = await openDeclared();
    const elsewhere = await send(
      "PUT",
      "/v1/tools/mine",
      declare({ connection: "acme" }, "https://evil.dev/mailbox"),
    );
    expect(elsewhere).toMatchObject({ status: 422, body: { code: "INVALID_TOOL" } });
    expect(JSON.stringify(elsewhere.body.issues)).toContain("/http/auth/connection");
    for (const auth of [{ connection: "nobody" }, { connection: "acme", secret: "X" }, { connection: {} }])
      expect((await send("PUT", "/v1/tools/mine", declare(auth))).status).toBe(422);
  });

  trial(
    "T52 goes with no memory of answers, which would be given to others: said of a tool, or of an import",
    async () => {
      const { send } = await openDeclared();
      const orchestration = { mode: "parallel-safe", cache_ttl_s: 60 };
      const put = await send("PUT", "/v1/tools/mine", { ...declare({ connection: "acme" }), orchestration });
      const imported = await send("POST", "/v1/tools/import", {
        prefix: "mail",
        openapi: DOCUMENT,
        auth: { connection: "acme" },
        overrides: { readMailbox: { orchestration } },
      });
      for (const refused of [put, imported]) {
        expect(refused).toMatchObject({ status: 422, body: { code: "INVALID_TOOL" } });
        expect(JSON.stringify(refused.body.issues)).toContain("cache_ttl_s");
      }
    },
  );

  trial.each([
    ["for every operation that authenticates", { connection: "acme" }],
    ["for a security scheme", { schemes: { token: { connection: { acme: ["mail.read"] } } } }],
  ])("is used by imported operations, %s", async (_, auth) => {
    const { send, run } = await openDeclared();
    const imported = await send("POST", "/v1/tools/import", { prefix: "mail", openapi: DOCUMENT, auth });
    expect(imported, JSON.stringify(imported.body)).toMatchObject({ status: 200, body: { skipped: [] } });
    expect(imported.body.tools).toHaveLength(2);
    for (const subject of ["ada", "grace"])
      expect(await run("mail_readMailbox", subject)).toMatchObject({
        data: { mailbox: `${subject}@acme.dev` },
      });
    // An operation that needs no credentials gets those that are given all the same.
    expect(await run("mail_readOpen", "ada")).toMatchObject({ data: { token: expect.any(String) } });
  });

  trial("is used by tools of an MCP server, each subject's in a session of its own", async () => {
    const { send, run, sessions } = await openDeclared();
    const server = { prefix: "m", mcp: { url: `${API}/mcp`, auth: { connection: "acme" } } };
    const without = await send("POST", "/v1/tools/import", server);
    expect(without.status).toBe(422);
    expect(JSON.stringify(without.body)).toContain("Volley-Subject");
    const imported = await send("POST", "/v1/tools/import", server, { "volley-subject": "ada" });
    expect(imported, JSON.stringify(imported.body)).toMatchObject({
      status: 200,
      body: { tools: [{ name: "m_whose", mcp: { auth: { connection: "acme" } } }] },
    });
    for (const subject of ["ada", "grace", "ada"])
      expect(await run("m_whose", subject)).toMatchObject({ data: { mailbox: `${subject}@acme.dev` } });
    expect(sessions).toEqual(["ada@acme.dev", "ada@acme.dev", "grace@acme.dev", "ada@acme.dev"]);
    expect((await run("m_whose", "joan")).error).toMatchObject({ code: "CONNECTION_REQUIRED" });
    const missed = await send("POST", "/v1/tools/import", server, { "volley-subject": "joan" });
    expect(JSON.stringify(missed.body)).toContain("/connect/test/cn_");
  });
});
