import { describe, expect, test } from "vitest";

import type { Declaration } from "../../../../src/features/added-tools/declared/declaration.ts";
import * as LIMITS from "../../../../src/features/added-tools/limits.ts";
import {
  FakeBody,
  type BodyStep,
  type OutgoingRequest,
  silence,
  STALL,
} from "../../../support/fake-upstream.ts";
import { McpWorld } from "../../../support/mcp-world.ts";
import { trial } from "../../../support/trial.ts";

type Message = Readonly<Record<string, unknown>>;
type AnswerTo = (message: Message, request: OutgoingRequest) => Response | Promise<Response>;

const TOOL = { name: "t", description: "Does it.", inputSchema: { type: "object" } };
const META = "io.modelcontextprotocol/protocolVersion";

function result(message: Message, value: object): Response {
  return Response.json({ jsonrpc: "2.0", id: message["id"], result: value });
}

function rpcError(message: Message, code: number, status = 200): Response {
  const error = { code, message: "the raw text of the server" };
  return Response.json({ jsonrpc: "2.0", id: message["id"], error }, { status });
}

function events(...steps: readonly BodyStep[]): Response {
  return new Response(new FakeBody(steps).stream, { headers: { "content-type": "text/event-stream" } });
}

function event(value: unknown): string {
  return `event: message\ndata: ${JSON.stringify(value)}\n\n`;
}

/** A server of 2026-07-28 that has one tool and does everything right, unless a test changes it. */
function serverOf(over: Partial<Record<string, AnswerTo>> = {}): McpWorld {
  return new McpWorld((request) => {
    const message = JSON.parse(request.body ?? "{}") as Message;
    const method = String(message["method"]);
    const own = over[method];
    if (own !== undefined) return own(message, request);
    switch (method) {
      case "server/discover":
        return result(message, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
      case "tools/list":
        return result(message, { tools: [TOOL], ttlMs: 60_000 });
      case "tools/call":
        return result(message, { content: [{ type: "text", text: "fine" }], resultType: "complete" });
      default:
        return rpcError(message, -32601);
    }
  });
}

async function failureOf(work: Promise<unknown>): Promise<Message> {
  const error: unknown = await work.then(
    (value) => expect.unreachable(`It did not fail: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  return (error as { failure: Message }).failure;
}

async function importedFrom(world: McpWorld): Promise<Declaration> {
  return (await world.import()).get("t")!;
}

/** The failure of a call of its tool. */
async function failureOfCall(onCall: AnswerTo): Promise<Message> {
  const world = serverOf({ "tools/call": onCall });
  const tool = await importedFrom(world);
  const failing = failureOf(world.call(tool));
  return failing;
}

test("a server that does nothing wrong is called", async () => {
  const world = serverOf();
  expect(await world.call(await importedFrom(world))).toBe("fine");
});

test("a server's answer is taken from a stream without types, and nothing is waited for behind it", async () => {
  const world = serverOf({
    "tools/call": ({ id }) => {
      const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "fine" }] } };
      return events(`data\n\ndata: ${JSON.stringify(answer)}\n\ndata: {\n\n`, STALL);
    },
  });
  expect(await world.call(await importedFrom(world))).toBe("fine");
});

test.each(["\n", "\r", "\r\n"])("a server's lines may end in %j", async (end) => {
  const world = serverOf({
    "tools/call": ({ id }) => {
      const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "fine" }] } };
      return events(`data: ${JSON.stringify(answer)}${end}${end}`);
    },
  });
  expect(await world.call(await importedFrom(world))).toBe("fine");
});

describe("an answer that is none", () => {
  const ok = { content: [{ type: "text", text: "fine" }] };
  trial.each<[string, string, AnswerTo]>([
    [
      "HTML",
      "BAD_UPSTREAM_RESPONSE",
      () => new Response("<p>", { headers: { "content-type": "text/html" } }),
    ],
    ["nothing", "BAD_UPSTREAM_RESPONSE", () => new Response(null, { status: 202 })],
    ["half of JSON", "BAD_UPSTREAM_RESPONSE", () => new Response('{"jsonrpc": "2.0", "id"')],
    ["an array", "BAD_UPSTREAM_RESPONSE", ({ id }) => Response.json([{ jsonrpc: "2.0", id, result: ok }])],
    ["another's id", "BAD_UPSTREAM_RESPONSE", ({ id }) => result({ id: Number(id) + 1 }, ok)],
    ["its id as text", "BAD_UPSTREAM_RESPONSE", ({ id }) => result({ id: String(id) }, ok)],
    [
      "a result that is none",
      "BAD_UPSTREAM_RESPONSE",
      ({ id }) => Response.json({ jsonrpc: "2.0", id, result: 1 }),
    ],
    [
      "a result and an error",
      "INVALID_ARGS",
      ({ id }) => Response.json({ jsonrpc: "2.0", id, result: ok, error: { code: -32602 } }),
    ],
    ["no JSON-RPC", "BAD_UPSTREAM_RESPONSE", ({ id }) => Response.json({ id, result: ok })],
    [
      "an unknown kind of result",
      "BAD_UPSTREAM_RESPONSE",
      (message) => result(message, { ...ok, resultType: "task" }),
    ],
    ["a stream without an answer", "UPSTREAM_ERROR", () => events(": nothing\n\n")],
    [
      "a stream of another's answer",
      "UPSTREAM_ERROR",
      () => events(event({ jsonrpc: "2.0", id: 99, result: ok })),
    ],
    [
      "a stream of an answer of another type",
      "UPSTREAM_ERROR",
      ({ id }) => events(`event: other\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: ok })}\n\n`),
    ],
    [
      "a stream of too many lines",
      "RESPONSE_TOO_LARGE",
      (message) => events("\n".repeat(LIMITS.mcpStreamLines), event({ ...message, result: ok })),
    ],
    ["a stream that breaks", "UPSTREAM_ERROR", () => events("data: {", new Error("reset"))],
    ["a stream of broken JSON", "BAD_UPSTREAM_RESPONSE", () => events("data: {\n\n")],
    [
      "a stream of bytes that are no text",
      "BAD_UPSTREAM_RESPONSE",
      () => events(new Uint8Array([0xff, 0xfe])),
    ],
    [
      "a redirect to elsewhere",
      "EGRESS_DENIED",
      () => new Response(null, { status: 307, headers: { location: "https://evil.example.net/" } }),
    ],
    ["401", "UPSTREAM_ERROR", () => new Response(null, { status: 401 })],
    ["403", "UPSTREAM_ERROR", () => new Response(null, { status: 403 })],
    ["404", "NOT_FOUND", () => new Response(null, { status: 404 })],
    ["406", "UPSTREAM_ERROR", () => new Response(null, { status: 406 })],
    ["429", "RATE_LIMITED", () => new Response(null, { status: 429 })],
    ["500", "UPSTREAM_ERROR", () => new Response(null, { status: 500 })],
  ])("%s is %s", async (_, code, answer) => {
    const failure = await failureOfCall(answer);
    expect(failure).toMatchObject({ code, hint: expect.stringMatching(/^['A-Z].*\.$/s) });
  });
});

test.each([
  [-32602, "INVALID_ARGS", false],
  [-32601, "UPSTREAM_ERROR", false],
  [-32603, "UPSTREAM_ERROR", true],
  [-32000, "UPSTREAM_ERROR", false],
  [-32021, "TOOL_FAILED", false],
  [-32042, "TOOL_FAILED", false],
])(
  "JSON-RPC's error %i is %s, with 200 as with 400, and its text stands apart",
  async (code, expected, retryable) => {
    for (const status of [200, 400]) {
      const failure = await failureOfCall((message) => rpcError(message, code, status));
      const { upstream, ...ours } = failure;
      expect(JSON.stringify(ours)).not.toContain("raw text");
      expect(upstream).toMatchObject({ message: "the raw text of the server" });
      expect([status, failure]).toMatchObject([status, { code: expected, retryable }]);
    }
  },
);

test.each([
  [-32602, "INVALID_ARGS"],
  [-32601, "NOT_FOUND"],
  [-32021, "TOOL_FAILED"],
])("JSON-RPC's error %i with 404 is %s", async (code, expected) => {
  expect(await failureOfCall((message) => rpcError(message, code, 404))).toMatchObject({ code: expected });
});

test.each([
  [401, "UPSTREAM_ERROR"],
  [429, "RATE_LIMITED"],
  [500, "UPSTREAM_ERROR"],
  [503, "UPSTREAM_ERROR"],
])("with status %i the status counts, whatever JSON-RPC's error says", async (status, expected) => {
  const failure = await failureOfCall((message) => rpcError(message, -32602, status));
  expect(failure).toMatchObject({ code: expected, upstreamStatus: status });
  const { upstream, ...ours } = failure;
  expect(JSON.stringify(ours)).not.toContain("raw text");
  expect(upstream).toMatchObject({ status, code: "-32602" });
});

describe("a stream", () => {
  const answerTo = ({ id }: Message, text: string): object => ({
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text }] },
  });

  test("is left once the answer is there: what comes after it, a second answer too, is dropped", async () => {
    let body: FakeBody | undefined;
    const world = serverOf({
      "tools/call": (message) => {
        body = new FakeBody([event(answerTo(message, "one")), event(answerTo(message, "two")), STALL]);
        return new Response(body.stream, { headers: { "content-type": "text/event-stream" } });
      },
    });
    expect(await world.call(await importedFrom(world))).toBe("one");
    expect(body!.cancelled).toBe(true);
  });

  test("may ask back, tell others' progress and talk of anything: none of that is answered or passed on", async () => {
    const noise = [
      { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} },
      { jsonrpc: "2.0", id: "x", method: "elicitation/create", params: {} },
      { jsonrpc: "2.0", id: 2, method: "roots/list" },
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 77, progress: 1 } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progress: "NaN" } },
      { jsonrpc: "2.0", method: "notifications/progress", params: null },
      null,
      [1],
    ];
    const world = serverOf({
      "tools/call": (message) =>
        events(...noise.map(event), "event: other\ndata: {\n\n", event(answerTo(message, "fine"))),
    });
    expect(await world.call(await importedFrom(world))).toBe("fine");
    expect(world.reports).toEqual([]);
    expect(world.methods.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("is read however it is cut, with any end of line", async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const world = serverOf({
        "tools/call": (message) => {
          const [head, tail] = JSON.stringify(answerTo(message, "fünf")).split('"result"');
          const text = [": hi", "id: 1", `data: ${head}`, `data:"result"${tail}`, "", "data: x"].join(end);
          return events(...Array.from(new TextEncoder().encode(text), (byte) => new Uint8Array([byte])));
        },
      });
      expect(await world.call(await importedFrom(world)), JSON.stringify(end)).toBe("fünf");
    }
  });

  test("that never ends is over with the call's time, and one that never begins as well", async () => {
    for (const stuck of [() => events(": hi\n\n", STALL), silence]) {
      const world = serverOf({ "tools/call": stuck });
      const tool = await importedFrom(world);
      const failure = failureOf(world.call(tool));
      await world.clock.advance(10_000);
      expect(await failure).toMatchObject({ code: "TIMEOUT" });
    }
  });

  test("without end is cut at the tool's bytes", async () => {
    const world = serverOf({
      "tools/call": () =>
        new Response(
          new FakeBody(
            (function* () {
              for (;;) yield "data: x".repeat(1_000);
            })(),
          ).stream,
          { headers: { "content-type": "text/event-stream" } },
        ),
    });
    const tool = await importedFrom(world);
    expect(await failureOf(world.call(tool))).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
  });
});

describe("a list", () => {
  const listed = (...entries: readonly unknown[]) =>
    serverOf({ "tools/list": (message) => result(message, { tools: entries }) });

  test("leaves out what cannot be called, and says why", async () => {
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(40)}{}${"}}".repeat(40)}`) as object;
    const header = (schema: object, inner = {}) => ({
      properties: { a: { type: "string", ...schema }, ...inner },
    });
    const cases: [string, object, string][] = [
      ["text-schema", { inputSchema: "any" }, "none of an object"],
      ["array", { inputSchema: { type: "array" } }, "none of an object"],
      [
        "remote",
        { inputSchema: { type: "object", properties: { a: { $ref: "https://x.example/s" } } } },
        "another document",
      ],
      ["deep", { inputSchema: { type: "object", ...deep } }, "levels"],
      ["x".repeat(129), {}, "128 characters"],
      [
        "header",
        { inputSchema: { type: "object", ...header({ "x-mcp-header": "a b" }) } },
        "no header's name",
      ],
      [
        "number",
        { inputSchema: { type: "object", ...header({ "x-mcp-header": "A", type: "number" }) } },
        "no text",
      ],
      [
        "same",
        {
          inputSchema: {
            type: "object",
            ...header({ "x-mcp-header": "A" }, { b: { type: "string", "x-mcp-header": "a" } }),
          },
        },
        "the same",
      ],
      [
        "items",
        {
          inputSchema: {
            type: "object",
            properties: { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } },
          },
        },
        "no argument",
      ],
      [
        "proto",
        { inputSchema: JSON.parse('{"type": "object", "properties": {"__proto__": {}}}') as object },
        "no tool can be declared",
      ],
    ];
    const entries = cases.map(([name, over]) => ({ ...TOOL, name, ...over }));
    const world = listed(...entries, 7, null, { ...TOOL, name: "" }, TOOL, TOOL);
    const { tools, unusable } = await world.list();
    const { toMcpDeclarations } =
      await import("../../../../src/features/added-tools/mcp/to-mcp-declarations.ts");
    const { declarations, skipped } = toMcpDeclarations(
      { tools, unusable },
      { prefix: "p", url: "https://a.example.com/" },
    );
    expect(declarations.map(({ name }) => name)).toEqual(["p_t"]);
    const reasons = new Map(skipped.map(({ operation, reason }) => [operation, reason]));
    for (const [name, , reason] of cases)
      expect(reasons.get(name.length > 128 ? `${"x".repeat(128)}…` : name), name).toContain(reason);
    expect(reasons.get("?")).toBe("it has no name");
    expect(reasons.get("t")).toContain("another tool of that name");
  });

  test("keeps a tool whose pattern could take for ever, without its patterns", async () => {
    const world = listed({
      ...TOOL,
      inputSchema: {
        type: "object",
        properties: { a: { type: "string", pattern: "^(a+)+$" }, pattern: { type: "string" } },
      },
    });
    const tool = await importedFrom(world);
    expect(tool.input_schema).toMatchObject({ properties: { pattern: { type: "string" } } });
    expect(JSON.stringify(tool.input_schema)).not.toContain("(a+)+");
  });

  test("gives every tool a name of its own that depends on the server's name alone", async () => {
    const names = ["a.b", "a/b", "a_b", "ü", "x".repeat(128), `${"x".repeat(127)}y`, "9"];
    const [there, back] = await Promise.all(
      [names, names.toReversed()].map((order) =>
        listed(...order.map((name) => ({ ...TOOL, name }))).import(),
      ),
    );
    for (const name of names) expect(back!.get(name)!.name).toBe(there!.get(name)!.name);
    const given = [...there!.values()].map(({ name }) => name);
    expect(new Set(given).size).toBe(names.length);
    for (const name of given) expect(name).toMatch(/^srv_[A-Za-z0-9_-]{1,60}$/);
    expect(there!.get("a_b")!.name).toBe("srv_a_b");
    expect(there!.get("9")!.name).toBe("srv_9");
  });

  test("takes hints for what they say, and anything but true for none", async () => {
    const world = listed(
      { ...TOOL, name: "lies", annotations: { readOnlyHint: "yes", destructiveHint: 1, idempotentHint: {} } },
      { ...TOOL, name: "both", annotations: { readOnlyHint: true, destructiveHint: true } },
      { ...TOOL, name: "none", annotations: "x" },
    );
    const tools = await world.import();
    expect(tools.get("lies")).toMatchObject({ is_write: true, idempotent: false, actions: ["write"] });
    expect(tools.get("both")).toMatchObject({ is_write: false, actions: ["read"] });
    expect(tools.get("none")).toMatchObject({ is_write: true });
  });

  test("shows a model nothing that is invisible to people, and no manual", async () => {
    const world = listed({
      ...TOOL,
      title: "Do\u202eit\n now",
      description: `\u{e0041}A ${"long ".repeat(5_000)}`,
    });
    const tool = await importedFrom(world);
    expect(tool.summary).toBe("Do it now");
    expect(tool.description.length).toBeLessThanOrEqual(4_000);
    expect(tool.description).toMatch(/^A long .*…$/);
  });

  const pages = (pageOf: (cursor: string | undefined) => object) =>
    serverOf({
      "tools/list": (message) => {
        const { cursor } = message["params"] as { cursor?: string };
        return result(message, pageOf(cursor));
      },
    });

  test("is read page by page", async () => {
    const world = pages((cursor = "0") => ({
      tools: [{ ...TOOL, name: `t${cursor}` }],
      ...(cursor !== "9" && { nextCursor: String(Number(cursor) + 1) }),
    }));
    expect((await world.list()).tools.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, n) => `t${n}`),
    );
  });

  test.each([
    ["leads back to itself", () => "same", "no further page"],
    ["leads to an empty cursor", () => "", "no further page"],
    ["has pages without end", (cursor = "0") => String(Number(cursor) + 1), "50 pages"],
  ])("that %s is taken as far as it came, and says so", async (_, next, reason) => {
    const world = pages((cursor) => ({
      tools: cursor === undefined ? [TOOL] : [],
      nextCursor: next(cursor),
    }));
    const { tools, unusable } = await world.list();
    expect(tools.map(({ name }) => name)).toEqual(["t"]);
    expect(unusable).toEqual([{ operation: "…", reason: expect.stringContaining(reason) }]);
    expect(world.methods.filter((method) => method === "tools/list").length).toBeLessThanOrEqual(
      LIMITS.mcpListPages,
    );
  });

  test.each([
    [
      "in words",
      {
        code: -32000,
        message: "Bad Request: Unsupported protocol version (supported versions: 2024-11-05, 2025-03-26)",
      },
    ],
    [
      "as data",
      {
        code: -32602,
        message: "Unsupported protocol version",
        data: { supported: ["2025-03-26", "2024-11-05"], requested: "2025-11-25" },
      },
    ],
  ])(
    "of a server whose 400 lists its revisions %s is asked for with the newest of these",
    async (_, error) => {
      const offered: unknown[] = [];
      const world = serverOf({
        "server/discover": (message) => rpcError(message, -32601, 400),
        initialize: (message) => {
          const { protocolVersion } = message["params"] as { protocolVersion: string };
          offered.push(protocolVersion);
          return protocolVersion === "2025-03-26"
            ? result(message, { protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } })
            : Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
        },
      });
      expect((await world.list()).tools.map(({ name }) => name)).toEqual(["t"]);
      expect(offered).toEqual(["2025-11-25", "2025-03-26"]);
    },
  );

  test("of a server that refuses every revision it lists is none, after two offers", async () => {
    const world = serverOf({
      "server/discover": (message) => rpcError(message, -32601, 400),
      initialize: () => new Response("use 2025-03-26", { status: 400 }),
    });
    await failureOf(world.list());
    expect(world.methods.filter((method) => method === "initialize")).toHaveLength(2);
  });

  test("ends at so many tools", async () => {
    const world = pages((cursor = "0") => ({
      tools: Array.from({ length: 200 }, (_, at) => ({ ...TOOL, name: `t${cursor}-${at}` })),
      nextCursor: String(Number(cursor) + 1),
    }));
    const { tools, unusable } = await world.list();
    expect(tools).toHaveLength(LIMITS.mcpServerTools);
    expect(unusable).toEqual([{ operation: "…", reason: expect.stringContaining("500 tools") }]);
  });

  test.each([
    [undefined, LIMITS.mcpListTtlMs],
    ["soon", LIMITS.mcpListTtlMs],
    [-1, LIMITS.mcpListTtlMs],
    [0, LIMITS.mcpLeastListTtlMs],
    [30_000, 30_000],
    [1e15, LIMITS.mcpMostListTtlMs],
  ])("that says it is good for %s ms is gone by for %i", async (ttlMs, expected) => {
    const world = serverOf({ "tools/list": (message) => result(message, { tools: [TOOL], ttlMs }) });
    const tool = await importedFrom(world);
    await world.call(tool);
    const lists = () => world.methods.filter((method) => method === "tools/list").length;
    const before = lists();
    await world.clock.advance(expected - 1);
    await world.call(tool);
    expect(lists()).toBe(before);
    await world.clock.advance(1);
    await world.call(tool);
    expect(lists()).toBe(before + 1);
  });

  test("that fails is asked for once by all calls of a request, and each is told", async () => {
    const good = serverOf();
    const tool = await importedFrom(good);
    const world = serverOf({ "tools/list": () => new Response(null, { status: 500 }) });
    const request = {};
    const failures = await Promise.all([1, 2, 3, 4].map(() => failureOf(world.call(tool, {}, { request }))));
    expect(failures.map(({ code }) => code)).toEqual(Array(4).fill("UPSTREAM_ERROR"));
    expect(world.methods).toEqual(["server/discover", "tools/list"]);
  });

  test("that hangs while one call's time is over is asked for again by the next, within the same request", async () => {
    let isStuck = true;
    const world = serverOf({
      "tools/list": (message) => (isStuck ? events(": hi\n\n", STALL) : result(message, { tools: [TOOL] })),
    });
    const tool = await importedFrom(serverOf());
    const request = {};
    const first = failureOf(world.call(tool, {}, { request }));
    await world.clock.advance(5_000);
    const second = world.call(tool, {}, { request });
    await world.clock.advance(1);
    isStuck = false;
    await world.clock.advance(4_999);
    expect(await first).toMatchObject({ code: "TIMEOUT", phase: "total" });
    expect(await second).toBe("fine");
  });
});

describe("what a call carries", () => {
  test("names the tool and the arguments that its server wants in headers, however they are written", async () => {
    const name = "tööl";
    const world = serverOf({
      "tools/list": (message) =>
        result(message, {
          tools: [
            {
              ...TOOL,
              name,
              inputSchema: {
                type: "object",
                properties: {
                  region: { type: "string", "x-mcp-header": "Region" },
                  deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Flag" } } },
                  n: { type: "integer", "x-mcp-header": "N" },
                },
              },
            },
          ],
        }),
    });
    const tool = (await world.import()).get(name)!;
    await world.call(tool, { region: "café", deep: { flag: false }, n: 7 });
    await world.call(tool, { region: "eu", n: null });
    const [first, second] = world.asked.filter(({ method }) => method === "tools/call");
    expect(Object.fromEntries(first!.headers)).toMatchObject({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-method": "tools/call",
      "mcp-protocol-version": "2026-07-28",
      "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=`,
      "mcp-param-region": `=?base64?${Buffer.from("café").toString("base64")}?=`,
      "mcp-param-flag": "false",
      "mcp-param-n": "7",
    });
    expect(second!.headers.get("mcp-param-region")).toBe("eu");
    expect(second!.headers.has("mcp-param-n")).toBe(false);
    expect(first!.body).toMatchObject({
      method: "tools/call",
      params: {
        name,
        arguments: { region: "café" },
        _meta: { [META]: "2026-07-28", progressToken: expect.any(Number) },
      },
    });
  });

  test.each([
    ["bearer" as const, "authorization", "Bearer us:er-password"],
    ["basic" as const, "authorization", `Basic ${Buffer.from("us:er-password").toString("base64")}`],
    [{ header: "x-api-key" }, "x-api-key", "us:er-password"],
  ])("the secret as %s, on every request", async (as, header, value) => {
    const secrets = { KEY: "us:er-password" };
    const world = serverOf();
    const tool = (await world.import({ secret: "KEY", as }, { secrets })).get("t")!;
    await world.call(tool, {}, { secrets });
    for (const { headers } of world.asked) expect(headers.get(header)).toBe(value);
  });

  test("or in the address", async () => {
    const secrets = { KEY: "a&b=c" };
    const world = serverOf();
    const tool = (await world.import({ secret: "KEY", as: { query: "key" } }, { secrets })).get("t")!;
    await world.call(tool, {}, { secrets });
    for (const { url } of world.asked) expect(new URL(url).searchParams.get("key")).toBe("a&b=c");
  });
});

describe("finding out how a server is spoken with", () => {
  test.each([401, 403, 429, 500, 503])(
    "ends where it answers %i: that says nothing about revisions",
    async (status) => {
      const world = serverOf({ "server/discover": () => new Response(null, { status }) });
      expect(await failureOf(world.list())).toMatchObject({ upstreamStatus: status });
      expect(world.methods).toEqual(["server/discover"]);
    },
  );

  test.each<[string, AnswerTo]>([
    ["400", () => new Response(null, { status: 400 })],
    ["405", () => new Response(null, { status: 405 })],
    ["HTML", () => new Response("<p>")],
    ["an error", (message) => rpcError(message, -32601)],
    ["only other revisions", (message) => result(message, { supportedVersions: ["2027-01-01"] })],
    ["nonsense", (message) => result(message, { supportedVersions: "2026-07-28" })],
  ])("goes on with the handshake of 2025 where it answers %s", async (_, discover) => {
    const world = serverOf({
      "server/discover": discover,
      initialize: (message) => result(message, { protocolVersion: "2025-03-26", capabilities: {} }),
      "notifications/initialized": () => new Response(null, { status: 500 }),
    });
    expect(await world.call(await importedFrom(world))).toBe("fine");
    const call = world.asked.find(({ method }) => method === "tools/call")!;
    expect(call.headers.get("mcp-protocol-version")).toBe("2025-03-26");
    expect(JSON.stringify(call.body)).not.toContain(META);
  });

  test("asks nothing before the server has taken that the handshake is over", async () => {
    const taken = Promise.withResolvers<Response>();
    const world = serverOf({
      "server/discover": (message) => rpcError(message, -32601),
      initialize: (message) => result(message, { protocolVersion: "2025-11-25", capabilities: {} }),
      "notifications/initialized": () => taken.promise,
    });
    const listing = world.list();
    await world.clock.advance(1_000);
    expect(world.methods).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    taken.resolve(new Response(null, { status: 202 }));
    await listing;
    expect(world.methods.at(-1)).toBe("tools/list");
  });

  test.each([
    ["1999-01-01", "s"],
    [7, "s"],
    ["2025-11-25", "s".repeat(2_000)],
  ])("fails where the handshake agrees to %s", async (protocolVersion, session) => {
    const world = serverOf({
      "server/discover": (message) => rpcError(message, -32601),
      initialize: (message) => {
        const response = result(message, { protocolVersion });
        response.headers.set("mcp-session-id", session);
        return response;
      },
    });
    expect(await failureOf(world.list())).toMatchObject({ code: "BAD_UPSTREAM_RESPONSE" });
  });
});

test("an isolate knows so many servers, and forgets the one that was not asked for longest", async () => {
  const { KnownServers } = await import("../../../../src/features/added-tools/mcp/known-servers.ts");
  const { Session } = await import("../../../../src/features/added-tools/mcp/mcp-session.ts");
  const servers = new KnownServers(2);
  const request = {};
  const learn = (key: string) =>
    servers.learn(key, request, async () => ({
      session: new Session("2026-07-28"),
      tools: new Map(),
      until: 0,
      request,
    }));
  await learn("a");
  await learn("b");
  servers.find("a");
  await learn("c");
  expect(["a", "b", "c"].map((key) => servers.find(key) !== null)).toEqual([true, false, true]);
});
