import fc from "fast-check";
import { expect, test } from "vitest";

import { CHAT_PATH, GO, setUpChat } from "../support/chat-world.ts";
import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* A link that decides is told to the operator of every question. No answer to a model, at any door, shows one. */

const operator = await HostileUpstream.start();
operator.script("/operator", (_, response) => void response.writeHead(204).end());
let url = "";
const { model } = await setUpChat({}, async (options) => {
  const volley = await startRawSandbox({
    ...options,
    vars: {
      ...options.vars,
      VOLLEY_DEV_ORIGINS: operator.url,
      PROBE_ORIGIN: operator.url,
      VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of the test, 32 bytes..")}`,
      VOLLEY_EVENTS_URL: `${operator.url}/operator`,
    },
  });
  url = volley.url;
  return volley;
});
const caller = new TestCaller(url, "sandbox-model-key");
const admin = new TestCaller(url, "sandbox-admin-key");

const args = { id: "lamp" };
const action = { id: "gone", tool: "probe-delete", args };
const call = {
  id: "c1",
  type: "function",
  function: { name: "probe-delete", arguments: JSON.stringify(args) },
};
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const EVENTS = { accept: "text/event-stream" };
const MCP = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
const STATELESS = { ...MCP, "mcp-protocol-version": "2026-07-28" };
const clientOf = (abilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": abilities,
});
const post =
  (path: string, body: object, headers: Record<string, string> = {}) =>
  () =>
    caller.send({ path, body: JSON.stringify(body), headers });
const get = (path: string) => () => caller.get(path);

const DOORS = {
  batch: post("/v1/execute_actions", { actions: [action] }),
  stream: post("/v1/execute_actions", { actions: [action] }, EVENTS),
  dryRun: post("/v1/execute_actions", { actions: [action], dry_run: true }),
  invoke: post("/v1/invoke_tool", { tool_name: "probe-delete", parameters: args }),
  chatTurn: post("/v1/openai/tool_calls", { role: "assistant", content: null, tool_calls: [call] }),
  responsesTurn: post("/v1/openai/function_calls", {
    output: [{ type: "function_call", call_id: "c1", name: "probe-delete", arguments: JSON.stringify(args) }],
  }),
  anthropicTurn: post("/v1/anthropic/tool_use", {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "probe-delete", input: args }],
  }),
  geminiTurn: post("/v1/gemini/function_calls", {
    role: "model",
    parts: [{ functionCall: { name: "probe-delete", args } }],
  }),
  mcp: post("/mcp?surface=flat", rpc("tools/call", { name: "probe-delete", arguments: args }), MCP),
  mcpBatch: post(
    "/mcp",
    rpc("tools/call", { name: "execute_actions", arguments: { actions: [action] } }),
    MCP,
  ),
  mcpPage: post(
    "/mcp?surface=flat",
    rpc("tools/call", {
      name: "probe-delete",
      arguments: args,
      _meta: clientOf({ elicitation: { url: {} } }),
    }),
    { ...STATELESS, "mcp-method": "tools/call", "mcp-name": "probe-delete" },
  ),
  mcpTask: async () => {
    const _meta = clientOf({
      elicitation: { url: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
    const asked = await post(
      "/mcp?surface=flat",
      rpc("tools/call", { name: "probe-delete", arguments: args, _meta }),
      { ...STATELESS, "mcp-method": "tools/call", "mcp-name": "probe-delete" },
    )();
    const { taskId } = (JSON.parse(asked.text) as { result: { taskId: string } }).result;
    return post("/mcp", rpc("tasks/get", { taskId, _meta }), {
      ...STATELESS,
      "mcp-method": "tasks/get",
      "mcp-name": taskId,
    })();
  },
  mcpTools: post("/mcp", rpc("tools/list", {}), MCP),
  orchestration: post("/api/orchestration/batch", {
    tools: [{ id: "1", toolName: "probe-delete", input: args }],
  }),
  flow: post("/v1/flows/clean_up/run", { input: {} }),
  agent: () => {
    model.willSay({ calls: [{ name: "probe-delete", args }] });
    return caller.send({ path: CHAT_PATH, body: JSON.stringify({ model: "m", messages: [GO] }) });
  },
  discover: post("/v1/discover_tools", { query: "delete" }),
  schema: post("/v1/get_tool_schema", { tool_name: "probe-delete" }),
  tools: get("/v1/tools?format=openai"),
  questions: get("/v1/confirmations"),
  jobs: get("/v1/jobs"),
  runs: get("/v1/runs"),
  usage: get("/v1/usage"),
  document: get("/openapi.json"),
} as const;

test("T50 no door that a model has shows the link of a question, or its token", async () => {
  const flow = {
    summary: "Delete one",
    input_schema: { type: "object", properties: {} },
    actions: [{ id: "d", tool: "probe-delete", args }],
  };
  const put = await admin.send({ method: "PUT", path: "/v1/flows/clean_up", body: JSON.stringify(flow) });
  expect(put.status, put.text).toBe(201);

  const seen: string[] = [];
  const names = Object.keys(DOORS) as (keyof typeof DOORS)[];
  const visit = async (name: keyof typeof DOORS): Promise<void> => {
    const { text, headers } = await DOORS[name]();
    seen.push(`${name} ${JSON.stringify(headers)} ${text}`);
  };
  for (const name of names) await visit(name);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }), async (visited) => {
      for (const name of visited) await visit(name);
    }),
    { numRuns: 5 },
  );
  // One question by itself, with its results after a no.
  const { confirmations } = JSON.parse((await caller.get("/v1/confirmations")).text) as {
    confirmations: { id: string }[];
  };
  const { id } = confirmations[0]!;
  const path = `/v1/confirmations/${id}`;
  await new TestCaller(url).send({ path, body: JSON.stringify({ decision: "reject" }) });
  seen.push((await caller.get(path)).text);

  const told = await eventually("the links of all questions", () => {
    const bodies = operator.requestsTo("/operator").map(({ body }) => body);
    const links = bodies.flatMap((body) => /\/approvals\/sandbox\/([A-Za-z0-9_-]{43})/.exec(body)?.[1] ?? []);
    return new Set(links).size >= confirmations.length ? new Set(links) : undefined;
  });
  // The doors did ask, or nothing would be shown by this.
  expect(confirmations.length).toBeGreaterThan(10);
  for (const text of seen) {
    for (const token of told) expect(text).not.toContain(token);
    if (!text.startsWith("document")) expect(text).not.toContain("/approvals/");
  }
});
