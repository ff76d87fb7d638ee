import { expect, test } from "vitest";

import { API } from "../features/connections/http/connection-world.ts";
import { openPairs } from "./pair-world.ts";
import { trial } from "../support/trial.ts";

type World = Awaited<ReturnType<typeof openPairs>>;

const LOOP = { id: "each", tool: "put", args: { to: { $ref: "item#" } }, for_each: ["ada", "bob"] };
const BATCH = { actions: [LOOP] };
const PROTOCOL = "io.modelcontextprotocol";
const _meta = {
  [`${PROTOCOL}/protocolVersion`]: "2026-07-28",
  [`${PROTOCOL}/clientCapabilities`]: { extensions: { [`${PROTOCOL}/tasks`]: {} } },
};

const speak = async ({ send }: World, method: string, params: { readonly [field: string]: unknown }) =>
  (
    await send(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
      {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": String(params["name"] ?? params["taskId"]),
      },
    )
  ).body.result;

test.each<[string, (world: World) => Promise<unknown>]>([
  [
    "a round of a conversation",
    async ({ send, says, volley }) => {
      const run = { name: "execute_actions", arguments: JSON.stringify(BATCH) };
      says.push(
        { content: null, tool_calls: [{ id: "c", type: "function", function: run }] },
        { content: "Done." },
      );
      await send("POST", "/v1/chat/completions", { messages: [{ role: "user", content: "Put" }] });
      const asked = volley.requests.filter(({ url }) => url.includes("llm.test")).at(-1)!;
      const { messages } = JSON.parse(asked.body ?? "{}") as { messages: { content: string }[] };
      return JSON.parse(messages.at(-1)!.content).results[0];
    },
  ],
  [
    "a call over MCP",
    async (world) =>
      (await speak(world, "tools/call", { name: "execute_actions", arguments: BATCH })).structuredContent
        .results[0],
  ],
  [
    "a task",
    async (world) => {
      const call = { name: "execute_actions", arguments: { ...BATCH, background: true } };
      const { taskId } = await speak(world, "tools/call", call);
      await world.volley.advance(30_000);
      const { status, result } = await speak(world, "tasks/get", { taskId });
      expect(status).toBe("completed");
      return result.structuredContent.results[0];
    },
  ],
])("A loop at %s calls its tool once for each element, and answers them in their order", async (_, ask) => {
  const world = await openPairs();
  const data = ["/put/ada", "/put/bob"].map((of) => ({ status: "success", data: { of } }));
  expect(await ask(world)).toMatchObject({ id: "each", status: "success", data });
  expect(world.sent).toEqual(["/put/ada", "/put/bob"]);
});

trial(
  "The loop of a clock's run goes on with the element that was refused, and sends no other again",
  async () => {
    const heard: string[] = [];
    const { send, volley } = await openPairs({
      [`POST ${API}/put/*`]: ({ url }) => {
        heard.push(new URL(url).pathname);
        const isFirst = heard.filter((one) => one === "/put/bob").length === 1;
        return url.endsWith("bob") && isFirst ? new Response("{}", { status: 429 }) : { ok: true };
      },
    });
    const flow = {
      summary: "Put both",
      input_schema: { type: "object", properties: {} },
      actions: [LOOP],
      triggers: { cron: "0 * * * *" },
    };
    expect((await send("PUT", "/v1/flows/both", flow)).status).toBe(201);
    await volley.advance(65 * 60_000);
    expect(heard.toSorted()).toEqual(["/put/ada", "/put/bob", "/put/bob"]);
  },
);

test("A loop over a tool that is data sends each element in a request of its own", async () => {
  const { run, send, sent } = await openPairs();
  const declared = {
    summary: "Put it",
    description: "Put it.",
    category: "added",
    actions: ["update"],
    is_write: true,
    input_schema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    http: { method: "POST", url: `${API}/put/{to}` },
  };
  expect((await send("PUT", "/v1/tools/put_added", declared)).status).toBe(201);
  const loop = { ...LOOP, tool: "put_added", for_each: ["ada", "a/b"] };
  expect((await run([loop])).results[0].status).toBe("success");
  expect(sent).toEqual(["/put/ada", "/put/a%2Fb"]);
});
