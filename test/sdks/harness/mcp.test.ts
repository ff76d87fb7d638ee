import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import type { WireEnvelope } from "../../support/execute-batch.ts";
import { postAndHold } from "../../support/raw-client.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";
import { type RawRequest, TestCaller } from "../../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();

/** The official client, of one era, connected. */
async function connect(era: "modern" | "legacy", query = "", key = "sandbox-key"): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${volley.url}/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

const MIXED = {
  actions: [
    { id: "one", tool: "probe-echo", args: { n: 1 } },
    { id: "bad", tool: "probe-any", args: { path: "/status/404" } },
    { id: "two", tool: "probe-echo", args: { n: 2 } },
  ],
};

/** The metadata of a request of revision 2026-07-28. */
const MODERN = {
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
};
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe.each(["modern", "legacy"] as const)("A client of the %s era", (era) => {
  test("is offered the batch and the discovery tools", async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "discover_tools",
      "execute_actions",
      "get_tool_schema",
      "invoke_tool",
    ]);
    expect(JSON.stringify(tools)).not.toContain("probe-echo");
    await client.close();
  });

  test("is offered every tool with its annotations where it asks for them, page by page", async () => {
    const client = await connect(era, "?surface=flat");
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      names.push(...page.tools.map(({ name }) => name));
      for (const tool of page.tools.filter(({ name }) => name.startsWith("probe-"))) {
        expect(tool.annotations).toMatchObject({ readOnlyHint: expect.any(Boolean) });
        expect(tool._meta).toMatchObject({ "x-orchestration": { mode: expect.any(String) } });
        expect(JSON.stringify(tool.inputSchema)).not.toContain("x-orchestration");
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toContain("execute_actions");
    expect(names).toContain("probe-echo");
    expect(new Set(names).size).toBe(names.length);
    await client.close();
  });

  test("gets a batch as text and as structure, and no error because an action failed", async () => {
    const client = await connect(era);
    const result = await client.callTool({ name: "execute_actions", arguments: MIXED });
    expect(result.isError ?? false).toBe(false);
    const envelope = result.structuredContent as WireEnvelope;
    expect(envelope.summary).toMatchObject({ total: 3, ok: 2, error: 1 });
    const [text] = result.content as { type: string; text: string }[];
    expect(JSON.parse(text!.text)).toEqual(envelope);
    await client.close();
  });

  test("gets an error for a batch that is none, and for a single tool that failed", async () => {
    const client = await connect(era, "?surface=flat");
    const noBatch = await client.callTool({ name: "execute_actions", arguments: { action: [] } });
    expect(noBatch).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "INVALID_BATCH", path: expect.any(String) } },
    });
    const badArgs = await client.callTool({ name: "probe-echo", arguments: { n: "one" } });
    expect(badArgs).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "INVALID_ARGS", hint: expect.stringContaining("/n") } },
    });
    const failed = await client.callTool({ name: "probe-any", arguments: { path: "/status/404" } });
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { status: "error", error: { code: "NOT_FOUND" } },
    });
    await client.close();
  });

  test("finds tools for several steps in one call, and is refused what discovery does not take", async () => {
    const client = await connect(era);
    const found = await client.callTool({
      name: "discover_tools",
      arguments: { queries: ["echo", "probe-delete"], detail: "schema" },
    });
    const { tools } = found.structuredContent as { tools: object[] };
    expect(tools.slice(0, 2)).toMatchObject([
      { name: "probe-echo", parameters: { n: { type: "number" } } },
      { name: "probe-delete", required: ["id"] },
    ]);
    const refused = await client.callTool({ name: "discover_tools", arguments: { queries: [] } });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: "INVALID_ARGS" } } });
    await client.close();
  });

  test("is told where the actions of a batch inside a batch belong", async () => {
    const client = await connect(era);
    const nested = { tool: "execute_actions", args: MIXED };
    const { structuredContent } = await client.callTool({
      name: "execute_actions",
      arguments: { actions: [nested] },
    });
    const { results } = structuredContent as WireEnvelope;
    expect(results[0]!.error).toMatchObject({
      code: "UNKNOWN_TOOL",
      hint: expect.stringContaining("put its actions into the batch's own list"),
    });
    await client.close();
  });

  test("calls a single tool", async () => {
    const client = await connect(era, "?surface=flat");
    const result = await client.callTool({ name: "probe-echo", arguments: { n: 7 } });
    expect(result.structuredContent).toEqual({ path: "/echo", n: 7 });
    await client.close();
  });

  test("is told by the protocol's own error that a cursor was never given", async () => {
    const client = await connect(era, "?surface=flat");
    for (const cursor of ["1", "50x", 7 as unknown as string])
      await expect(client.request({ method: "tools/list", params: { cursor } })).rejects.toMatchObject({
        code: -32_602,
      });
    await client.close();
  });

  test("gets arguments refused that a careless merge would take for a prototype", async () => {
    const client = await connect(era, "?surface=flat");
    const poisoned = JSON.parse('{"n":1,"__proto__":{"n":2}}') as Record<string, unknown>;
    const result = await client.callTool({ name: "probe-echo", arguments: poisoned });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "INVALID_ARGS", issues: [{ path: "/args/__proto__" }] } },
    });
    await client.close();
  });

  test("is told of a tool that does not exist by the protocol's own error", async () => {
    const client = await connect(era);
    await expect(client.callTool({ name: "probe-nothing", arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
    await client.close();
  });

  test("sees a batch's progress where it asks for it", async () => {
    const client = await connect(era);
    const seen: unknown[] = [];
    await client.callTool(
      { name: "execute_actions", arguments: MIXED },
      { onprogress: (progress) => void seen.push(progress) },
    );
    expect(seen).toEqual([
      { progress: 1, total: 3 },
      { progress: 2, total: 3 },
      { progress: 3, total: 3 },
    ]);
    await client.close();
  });
});

test("A client of 2026 may keep the list of tools for five minutes, for its own key", async () => {
  const { text } = await caller.send({
    path: "/mcp",
    headers: { ...MODERN, "mcp-method": "tools/list" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } }),
  });
  expect(JSON.parse(text)).toMatchObject({ result: { ttlMs: 300_000, cacheScope: "private" } });
});

test("A key sees only its own tools", async () => {
  const client = await connect("modern", "?surface=flat", "sandbox-small-key");
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain("probe-echo");
  expect(names).not.toContain("send_email");
  await expect(client.callTool({ name: "send_email", arguments: {} })).rejects.toMatchObject({
    code: -32_602,
  });
  await client.close();
});

/** A call of revision 2026-07-28, with nothing made right by a client library. */
function callOf(name: string, args: object): RawRequest {
  return {
    path: "/mcp?surface=flat",
    headers: { ...MODERN, "mcp-method": "tools/call", "mcp-name": name },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta: META },
    }),
  };
}

test.each([
  ["tools/list", null],
  ["tools/list", { cursor: null }],
  ["tools/call", { name: "discover_tools", arguments: null }],
])(
  "null where a client of 2025 has nothing to say is as if it were not there: %s %o",
  async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { status, text } = await new TestCaller(volley.url, "sandbox-key").send({
      path: "/mcp",
      headers: { accept: MODERN.accept },
      body,
    });
    expect([status, JSON.parse(text)]).toMatchObject([200, { result: expect.any(Object) as object }]);
    expect(text).not.toContain('"isError"');
  },
);

test("A key that has used up its quota is told how long to wait, as what became of the call", async () => {
  const small = new TestCaller(volley.url, "sandbox-small-key");
  const calls = await Promise.all(
    Array.from({ length: 25 }, (_, n) => small.send(callOf("probe-echo", { n }))),
  );
  for (const { status, headers } of calls) {
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "ratelimit-policy": '"requests";q=20;w=60' });
    expect(headers["ratelimit"]).toMatch(/^"requests";r=\d+;t=\d+$/);
  }
  const denied = calls.filter(({ headers }) => "retry-after" in headers);
  expect(denied.length).toBeGreaterThan(0);
  for (const { text } of denied)
    expect(JSON.parse(text)).toMatchObject({
      result: {
        isError: true,
        structuredContent: { error: { code: "QUOTA_EXCEEDED", retry_after_ms: expect.any(Number) } },
      },
    });

  const legacy = await connect("legacy", "?surface=flat", "sandbox-small-key");
  expect(await legacy.callTool({ name: "probe-echo", arguments: { n: 1 } })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "QUOTA_EXCEEDED", retry_after_ms: expect.any(Number) } },
  });
  await legacy.close();
});

test.each([
  ["2026", { ...MODERN, "mcp-method": "tools/call", "mcp-name": "execute_actions" }, META, 1],
  [
    "2026 that hears of the progress",
    { ...MODERN, "mcp-method": "tools/call", "mcp-name": "execute_actions" },
    { ...META, progressToken: 1 },
    2,
  ],
  ["2025", { accept: MODERN.accept }, {}, 3],
])("A client of %s that goes away stops the reads of its call", async (_, headers, _meta, n) => {
  const slow = { tool: "probe-echo", args: { n: 7_000 + n, d: 9_000 } };
  const params = { name: "execute_actions", arguments: { actions: [slow] }, _meta };
  const client = await postAndHold(
    `${volley.url}/mcp`,
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    headers,
  );
  const read = await eventually("the read to arrive", () =>
    upstream.requestsTo("/echo").find(({ query }) => query.get("n") === String(7_000 + n)),
  );
  client.resetAndDestroy();
  expect(await read.end).toBe("torn");
});

describe("A request to /mcp", () => {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const accept = { accept: "application/json, text/event-stream" };

  test("without a key is refused", async () => {
    const answer = await new TestCaller(volley.url, "wrong").send({
      path: "/mcp",
      body: ping,
      headers: accept,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer scope=/);
  });

  test.each([
    ["of another origin", { origin: "https://evil.example" }, 403, -32_600],
    ["of an opaque origin", { origin: "null" }, 403, -32_600],
    ["for another host", { host: "evil.example" }, 403, -32_600],
    ["for a host that is none", { host: "localhost:99999" }, 403, -32_600],
    ["with an idempotency key that is none", { "idempotency-key": '"k' }, 422, -32_600],
  ])("%s is refused", async (_, headers, status, code) => {
    const answer = await caller.send({ path: "/mcp", body: ping, headers: { ...accept, ...headers } });
    expect([answer.status, (JSON.parse(answer.text) as { error: { code: number } }).error.code]).toEqual([
      status,
      code,
    ]);
  });

  test.each([
    ["that is no JSON", "{", 400, -32_700],
    ["that is several messages", `[${ping},${ping}]`, 400, -32_600],
    ["that is too deep", "[".repeat(100_000), 422, -32_600],
    ["that is too large", JSON.stringify({ a: "x".repeat(300_000) }), 413, -32_600],
  ])("%s is refused in the protocol's words", async (_, body, status, code) => {
    const answer = await caller.send({ path: "/mcp", body, headers: accept });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: expect.any(String) },
    });
  });

  test.each([
    ["a surface that does not exist", "?surface=round", "round"],
    ["two surfaces", "?surface=flat&surface=meta", "flat, meta"],
  ])("for %s is told which there are", async (_, query, received) => {
    const answer = await caller.send({ path: `/mcp${query}`, body: ping, headers: accept });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`one of batch, meta, flat, received '${received}'`);
  });

  test.each(["GET", "DELETE"])("as %s finds no session", async (method) => {
    expect((await caller.send({ method, path: "/mcp", headers: accept })).status).toBe(405);
  });
});
