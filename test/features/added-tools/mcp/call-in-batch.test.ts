import { expect, test } from "vitest";

import { mcpTools } from "../../../../src/features/added-tools/mcp/mcp-tools.ts";
import { FakeBody, STALL } from "../../../support/fake-upstream.ts";
import { TestWorld } from "../../../support/execute-batch.ts";
import { trial } from "../../../support/trial.ts";

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly name: string };
}

const ENTRIES = [
  {
    name: "look",
    description: "Looks.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  },
  { name: "save", description: "Saves.", inputSchema: { type: "object", required: ["n"] } },
  {
    name: "drop",
    description: "Drops.",
    inputSchema: { type: "object" },
    annotations: { destructiveHint: true },
  },
];

/** Run actions with the tools of a server whose calls are answered so. Each test has an address of its own. */
async function run(
  actions: readonly object[],
  onCall: (message: Message) => Response | Promise<Response>,
  onList: () => object = () => ({ tools: ENTRIES }),
) {
  const world = new TestWorld();
  const url = `https://mcp.example.com/${(servers += 1)}`;
  const sent: string[] = [];
  const keys: (string | null)[] = [];
  world.fetch = async (_, { body, headers }) => {
    const message = JSON.parse(body as string) as Message;
    sent.push(message.method);
    keys.push(new Headers(headers).get("idempotency-key"));
    const reply = (result: object): Response => Response.json({ jsonrpc: "2.0", id: message.id, result });
    if (message.method === "server/discover") return reply({ supportedVersions: ["2026-07-28"] });
    return message.method === "tools/list" ? reply(onList()) : onCall(message);
  };
  const tools = mcpTools({ prefix: "srv", url, tools: ENTRIES });
  const { results } = await world.run(tools, { actions });
  return { results, sent, keys, world };
}
let servers = 0;

function answer({ id }: Message, result: object): Response {
  return Response.json({ jsonrpc: "2.0", id, result });
}

test("a batch asks for the list once, and its calls are planned by what the server says of its tools", async () => {
  const { results, sent } = await run(
    [
      { tool: "srv_look" },
      { tool: "srv_save", args: { n: 1 } },
      { tool: "srv_save", args: {} },
      { tool: "srv_drop" },
    ],
    (message) => answer(message, { structuredContent: { did: message.params.name } }),
  );
  expect(results).toMatchObject([
    { status: "success", data: { did: "look" } },
    { status: "success", data: { did: "save" } },
    { status: "error", error: { code: "INVALID_ARGS" } },
    { status: "pending_confirmation" },
  ]);
  expect(sent).toEqual(["server/discover", "tools/list", "tools/call", "tools/call"]);
});

test("each call carries the key of its action, and what only asks carries none", async () => {
  const { keys } = await run(
    [
      { tool: "srv_save", args: { n: 1 } },
      { tool: "srv_save", args: { n: 2 } },
    ],
    (message) => answer(message, { structuredContent: {} }),
  );
  const [discover, list, first, second] = keys;
  expect([discover, list]).toEqual([null, null]);
  expect(first).toMatch(/:a0$/);
  expect(second).toBe(first!.replace(/:a0$/, ":a1"));
});

trial(
  "a write whose server answers that it failed is an error; one that gets no answer is unknown",
  async () => {
    const save = [{ tool: "srv_save", args: { n: 1 } }];
    const statusOf = async (onCall: (message: Message) => Response | Promise<Response>) => {
      const { results } = await run(save, onCall);
      return [results[0]!.status, results[0]!.error!.code];
    };
    expect(await statusOf((message) => answer(message, { isError: true, content: [] }))).toEqual([
      "error",
      "TOOL_FAILED",
    ]);
    expect(
      await statusOf(({ id }) =>
        Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "x" } }),
      ),
    ).toEqual(["error", "INVALID_ARGS"]);
    expect(await statusOf(() => new Response(null, { status: 503 }))).toEqual(["error", "UPSTREAM_ERROR"]);
    const headers = { "content-type": "text/event-stream" };
    expect(await statusOf(() => new Response(new FakeBody([": hi\n\n"]).stream, { headers }))).toEqual([
      "unknown",
      "UPSTREAM_ERROR",
    ]);
    expect(await statusOf(() => new Response(new FakeBody([": hi\n\n", STALL]).stream, { headers }))).toEqual(
      ["unknown", "TIMEOUT"],
    );
    expect(await statusOf(() => Promise.reject(new Error("reset")))).toEqual(["unknown", "UPSTREAM_ERROR"]);
  },
);

test("a write of a tool that has changed, or of a server that cannot be asked, was not sent", async () => {
  const save = [{ tool: "srv_save", args: { n: 1 } }];
  const never = (): never => expect.unreachable();
  const changed = await run(save, never, () => ({
    tools: ENTRIES.map((entry) => ({ ...entry, description: "Something else." })),
  }));
  expect(changed.results).toMatchObject([
    { status: "error", error: { code: "TOOL_CHANGED", retryable: false } },
  ]);
  const gone = await run(save, never, () => ({ tools: [] }));
  expect(gone.results).toMatchObject([{ status: "error", error: { code: "TOOL_CHANGED" } }]);
  const broken = await run(save, never, () => ({ tools: 7 }));
  expect(broken.results).toMatchObject([{ status: "error", error: { code: "BAD_UPSTREAM_RESPONSE" } }]);
});

test("a server that drops a tool between its list and a call is told from one that does not take the arguments", async () => {
  let lists = 0;
  const refuse = ({ id }: Message): Response =>
    Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "x" } });
  const { results } = await run([{ tool: "srv_look" }], refuse, () => ({
    tools: (lists += 1) === 1 ? ENTRIES : [],
  }));
  // The answer that was heard in this very request is not asked for once more.
  expect(results).toMatchObject([{ status: "error", error: { code: "INVALID_ARGS" } }]);
  expect(lists).toBe(1);
});

test("what cannot be declared throws at start-up with each tool's name and the reason", () => {
  const tools = [
    { name: "a", inputSchema: [] },
    { name: "b", inputSchema: { type: "string" } },
  ];
  expect(() => mcpTools({ prefix: "srv", url: "https://mcp.example.com/", tools })).toThrow(
    /'a': its input schema is none of an object\n.*'b': its input schema is none/,
  );
  expect(() => mcpTools({ prefix: "9", url: "https://mcp.example.com/", tools: [ENTRIES[0]] })).toThrow(
    /9_look|'look'/,
  );
});

test.each([[{}], [null], [undefined]])("a tool whose input schema is %j takes any object", (inputSchema) => {
  const tools = [{ name: "a", inputSchema }];
  const [tool] = mcpTools({ prefix: "srv", url: "https://mcp.example.com/", tools });
  expect(tool!.name).toBe("srv_a");
});
