import {
  inputRequired,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";

import * as LIMITS from "../../../../src/features/added-tools/limits.ts";
import { McpWorld, URL_OF_SERVER } from "../../../support/mcp-world.ts";
import { trial } from "../../../support/trial.ts";

// It warns of what this test is about: an option under which progress is lost.
beforeAll(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

/** A server as an author writes it: a read, a deletion, a tool that says nothing of itself, and one that takes its time. */
function makeServer(descriptionOfAdd = "Adds two numbers."): McpServer {
  const server = new McpServer({ name: "sample", version: "1" });
  server.registerTool(
    "add",
    {
      title: "Add",
      description: descriptionOfAdd,
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({
      content: [{ type: "text", text: `${a + b}` }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool(
    "drop",
    {
      description: "Deletes a thing.",
      inputSchema: z.object({ id: z.string() }),
      annotations: { destructiveHint: true },
    },
    async ({ id }) => ({ content: [{ type: "text", text: `dropped ${id}` }] }),
  );
  server.registerTool("note", { inputSchema: z.object({}) }, async () => {
    throw new Error("the raw text of the server");
  });
  server.registerTool(
    "export",
    { inputSchema: z.object({ rows: z.number() }), annotations: { idempotentHint: true } },
    async ({ rows }, ctx) => {
      const { _meta } = ctx.mcpReq;
      for (let progress = 1; progress <= rows; progress += 1)
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: _meta!.progressToken!, progress, total: rows, message: `row ${progress}` },
        });
      return {
        content: [
          { type: "text", text: "[1,2]" },
          { type: "text", text: "done" },
        ],
      };
    },
  );
  server.registerTool("draw.it", { inputSchema: z.object({}) }, async () => ({
    content: [
      { type: "text", text: "see" },
      { type: "image", data: btoa("x".repeat(1_000)), mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "content" } },
      { type: "resource", resource: { uri: "file:///b.bin", blob: "AAAA" } },
      { type: "resource_link", uri: "https://x.example/", name: "x" },
    ],
  }));
  server.registerTool("ask_back", { inputSchema: z.object({}) }, async () =>
    inputRequired({
      inputRequests: {
        name: {
          method: "elicitation/create",
          params: { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } },
        },
      },
    }),
  );
  return server;
}

/** A server of 2025 that keeps sessions, as the official library makes them. */
function makeSessions(enableJsonResponse: boolean) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let made = 0;
  const world = new McpWorld(async ({ url, method, headers, body }) => {
    const request = new Request(url, { method, headers, ...(body !== undefined && { body }) });
    const id = headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return known.handleRequest(request);
    if (id !== null)
      return Response.json(
        { jsonrpc: "2.0", error: { code: -32001, message: "x" }, id: null },
        { status: 404 },
      );
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse,
      sessionIdGenerator: () => `session-${(made += 1)}`,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  });
  return { world, sessions };
}

const WORLDS: readonly (readonly [string, () => McpWorld])[] = [
  ["2026-07-28", () => McpWorld.of(() => makeServer())],
  ["2026-07-28 that refuses clients of 2025", () => McpWorld.of(() => makeServer(), { legacy: "reject" })],
  ["2026-07-28 that answers with JSON only", () => McpWorld.of(() => makeServer(), { responseMode: "json" })],
  ["2026-07-28 that answers with events", () => McpWorld.of(() => makeServer(), { responseMode: "sse" })],
  ["2025, sessions, events", () => makeSessions(false).world],
  ["2025, sessions, JSON", () => makeSessions(true).world],
];

describe.each(WORLDS)("an official server: %s", (name, makeWorld) => {
  trial("is listed and called, and what a tool answers is its data", async () => {
    const world = makeWorld();
    const tools = await world.import();

    expect([...tools.keys()].sort()).toEqual(["add", "ask_back", "draw.it", "drop", "export", "note"]);
    expect(tools.get("add")).toMatchObject({
      name: "srv_add",
      summary: "Add",
      description: "Adds two numbers.",
      category: "srv",
      actions: ["read"],
      is_write: false,
      orchestration: { mode: "parallel-safe", on_error: "partial-success" },
      input_schema: { type: "object", required: ["a", "b"], properties: { a: { type: "number" } } },
      mcp: { url: URL_OF_SERVER, tool: "add", fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(tools.get("add")!.input_schema).not.toHaveProperty("$schema");
    expect(tools.get("drop")).toMatchObject({
      is_write: true,
      idempotent: false,
      actions: ["write", "delete"],
      orchestration: { mode: "sequential-only", confirm: "always" },
    });
    expect(tools.get("note")).toMatchObject({ is_write: true, idempotent: false, actions: ["write"] });
    expect(tools.get("note")!.orchestration).not.toHaveProperty("confirm");
    expect(tools.get("export")).toMatchObject({ is_write: true, idempotent: true });
    expect(tools.get("draw.it")!.name).toBe("srv_draw_it");

    expect(await world.call(tools.get("add")!, { a: 1, b: 2 })).toEqual({ sum: 3 });
    expect(await world.call(tools.get("drop")!, { id: "7" })).toBe("dropped 7");
    expect(await world.call(tools.get("export")!, { rows: 0 })).toBe("[1,2]\ndone");
    expect(await world.call(tools.get("draw.it")!)).toEqual({
      text: "see",
      content: [
        { type: "image", mime_type: "image/png", bytes: 1_000 },
        { type: "resource", uri: "file:///a.txt", mime_type: "text/plain", text: "content" },
        { type: "resource", uri: "file:///b.bin", bytes: 3 },
        { type: "resource_link", uri: "https://x.example/", name: "x" },
      ],
    });
  });

  trial("is asked once how it is spoken with and what it has, however many calls there are", async () => {
    const world = makeWorld();
    const tools = await world.import();
    world.upstream.requests.length = 0;

    const request = {};
    await Promise.all([1, 2, 3].map((a) => world.call(tools.get("add")!, { a, b: 1 }, { request })));
    await world.call(tools.get("add")!, { a: 1, b: 1 });

    const methods = world.methods.filter((method) => method !== "tools/call");
    const isStateless = name.startsWith("2026");
    expect(methods).toEqual(
      isStateless
        ? ["server/discover", "tools/list"]
        : ["server/discover", "initialize", "notifications/initialized", "tools/list"],
    );
    const ids = world.asked.filter(({ method }) => method === "tools/call").map(({ body }) => body["id"]);
    expect(new Set(ids).size).toBe(4);
    const [, ...later] = world.asked.filter(({ method }) => method !== "initialize");
    for (const { headers } of later) {
      expect(headers.get("mcp-protocol-version")).toBe(isStateless ? "2026-07-28" : "2025-11-25");
      expect(headers.has("mcp-session-id")).toBe(!isStateless);
    }
  });

  test("tells its progress where it answers with events", async () => {
    const world = makeWorld();
    const tools = await world.import();
    await world.call(tools.get("export")!, { rows: 2 });
    expect(world.reports).toEqual(
      name.includes("JSON")
        ? []
        : [
            { progress: 1, total: 2, message: "row 1" },
            { progress: 2, total: 2, message: "row 2" },
          ],
    );
  });

  trial("says that a tool failed in words of ours; its own are for the log", async () => {
    const world = makeWorld();
    const tools = await world.import();
    for (const [tool, args] of [
      ["note", {}],
      ["add", { a: "x", b: 1 }],
    ] as const) {
      const failure = world.call(tools.get(tool)!, args);
      await expect(failure).rejects.toMatchObject({
        failure: {
          code: "TOOL_FAILED",
          retryable: false,
          hint: expect.stringContaining("says that it failed"),
        },
      });
    }
    expect(world.logged[0]).toMatchObject({ fields: { text: expect.stringContaining("the raw text") } });
  });

  trial("cannot ask back", async () => {
    const world = makeWorld();
    const tools = await world.import();
    const failure = world.call(tools.get("ask_back")!);
    await expect(failure).rejects.toMatchObject({ failure: { code: "TOOL_FAILED" } });
  });

  trial("that has no such tool any more says so, and nothing is sent", async () => {
    const world = makeWorld();
    const tools = await world.import();
    const gone = { ...tools.get("add")!, mcp: { ...tools.get("add")!.mcp!, tool: "subtract" } };
    await expect(world.call(gone, { a: 1, b: 1 })).rejects.toMatchObject({
      failure: { code: "TOOL_CHANGED" },
    });
    expect(world.methods).not.toContain("tools/call");
  });
});

describe("a tool that changes on its server", () => {
  trial("T36 is not called from the moment its list's time is over, until it is imported again", async () => {
    let description = "Adds two numbers.";
    const world = McpWorld.of(() => makeServer(description));
    const add = (await world.import()).get("add")!;
    expect(await world.call(add, { a: 1, b: 1 })).toEqual({ sum: 2 });

    description = "Adds two numbers, and sends them to somebody.";
    // The library's servers say that their lists are good for no time at all.
    await world.clock.advance(LIMITS.mcpLeastListTtlMs - 1);
    expect(await world.call(add, { a: 1, b: 1 })).toEqual({ sum: 2 });
    await world.clock.advance(1);
    const calls = world.methods.filter((method) => method === "tools/call").length;
    await expect(world.call(add, { a: 1, b: 1 })).rejects.toMatchObject({
      failure: { code: "TOOL_CHANGED", retryable: false, hint: expect.stringContaining("imported again") },
    });
    expect(world.methods.filter((method) => method === "tools/call")).toHaveLength(calls);

    const again = (await world.import()).get("add")!;
    expect(await world.call(again, { a: 1, b: 1 })).toEqual({ sum: 2 });
    await expect(world.call(add, { a: 1, b: 1 })).rejects.toMatchObject({
      failure: { code: "TOOL_CHANGED" },
    });
  });

  test("may be imported again before this isolate would have asked, and is called at once", async () => {
    let description = "One.";
    const world = McpWorld.of(() => makeServer(description));
    const before = (await world.import()).get("add")!;
    await world.call(before, { a: 1, b: 1 });
    description = "Two.";
    const after = (await world.import()).get("add")!;
    expect(await world.call(after, { a: 1, b: 1 })).toEqual({ sum: 2 });
  });

  test.each(["description", "inputSchema", "outputSchema", "annotations"])(
    "is another one by its %s",
    async (field) => {
      const make = (isChanged: boolean) => () => {
        const changes = (name: string): boolean => isChanged && field === name;
        const server = new McpServer({ name: "x", version: "1" });
        server.registerTool(
          "t",
          {
            description: changes("description") ? "b" : "a",
            inputSchema: changes("inputSchema") ? z.object({ a: z.string() }) : z.object({}),
            outputSchema: changes("outputSchema") ? z.object({ a: z.string() }) : z.object({}),
            annotations: { readOnlyHint: changes("annotations") },
          },
          async () => ({ content: [], structuredContent: {} }),
        );
        return server;
      };
      const [one, same, other] = await Promise.all(
        [false, false, true].map((is) => McpWorld.of(make(is)).import()),
      );
      expect(same!.get("t")!.mcp).toEqual(one!.get("t")!.mcp);
      expect(other!.get("t")!.mcp!.fingerprint).not.toBe(one!.get("t")!.mcp!.fingerprint);
    },
  );
});

describe("a session", () => {
  test("that the server forgot is opened again, and the call made", async () => {
    const { world, sessions } = makeSessions(false);
    const tools = await world.import();
    await world.call(tools.get("drop")!, { id: "1" });
    sessions.clear();

    expect(await world.call(tools.get("drop")!, { id: "2" })).toBe("dropped 2");
    expect(sessions.size).toBe(1);
  });

  trial("that the server forgets before its list is asked for again is opened again", async () => {
    const { world, sessions } = makeSessions(true);
    const tools = await world.import();
    await world.call(tools.get("add")!, { a: 1, b: 1 });
    sessions.clear();
    await world.clock.advance(LIMITS.mcpListTtlMs);

    const request = {};
    const both = [1, 2].map((a) => world.call(tools.get("add")!, { a, b: 1 }, { request }));
    expect(await Promise.all(both)).toEqual([{ sum: 2 }, { sum: 3 }]);
    expect(sessions.size).toBe(1);
  });

  trial("is shared with no one: not another tenant, nor that of another secret", async () => {
    const { world, sessions } = makeSessions(true);
    const auth = { secret: "KEY", as: "bearer" } as const;
    const one = { secrets: { KEY: "first-secret" } };
    const tools = await world.import(auth, one);
    sessions.clear();
    await world.call(tools.get("add")!, { a: 1, b: 1 }, one);
    await world.call(tools.get("add")!, { a: 1, b: 1 }, { ...one, tenant: "other" });
    await world.call(tools.get("add")!, { a: 1, b: 1 }, { secrets: { KEY: "second-secret" } });
    expect(sessions.size).toBe(3);
  });
});

trial("a server that changes from 2025 to 2026 is spoken with as it is now", async () => {
  let old = true;
  const sessions = makeSessions(false);
  const modern = McpWorld.of(() => makeServer(), { legacy: "reject" });
  const world = new McpWorld((request) =>
    (old ? sessions.world : modern).upstream.fetch(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
    }),
  );
  const tools = await world.import();
  expect(await world.call(tools.get("add")!, { a: 1, b: 1 })).toEqual({ sum: 2 });
  old = false;
  expect(await world.call(tools.get("add")!, { a: 1, b: 2 })).toEqual({ sum: 3 });
});

test("what a server has besides tools is no matter", async () => {
  const world = McpWorld.of(() => {
    const server = makeServer();
    server.registerResource("r", new ResourceTemplate("x://{a}", { list: undefined }), {}, async () => ({
      contents: [],
    }));
    return server;
  });
  expect((await world.import()).size).toBe(6);
});
