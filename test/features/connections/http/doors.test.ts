import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { formats } from "../../../../src/features/formats/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { orchestration } from "../../../../src/features/orchestration/index.ts";
import { responses } from "../../../../src/features/responses/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { samples } from "../../../support/samples.ts";
import { API, openConnections } from "./connection-world.ts";
import { base, mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const later = defineTool({
  ...base,
  name: "later",
  isWrite: true,
  actions: ["send"],
  execution: "fire-and-forget",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

const asked = defineTool({
  ...base,
  name: "asked",
  isWrite: true,
  actions: ["delete"],
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

const MODEL = "https://llm.test/v1";
const HOOK_SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const FLOW = {
  summary: "Read the mailbox",
  input_schema: { type: "object", properties: { of: { type: "string" } } },
  actions: [{ id: "mail", tool: "mailbox", args: {} }],
  answer: { $ref: "mail#/mailbox" },
};

/** Open a Volley with every door, and two people with an account each. */
async function openDoors() {
  let round = 0;
  const world = await openConnections({
    tools: [mailbox, later, asked],
    features: [
      addedTools(),
      flows(),
      background(),
      formats(),
      mcp(),
      agent(),
      responses(),
      orchestration(),
      runs(),
    ],
    key: { flags: ["approve", "manage_connections", "manage_tools"] },
    env: {
      LLM_BASE_URL: MODEL,
      LLM_API_KEY: "k",
      LLM_MODEL: "m",
      ANTHROPIC_BASE_URL: "https://claude.test",
      ANTHROPIC_API_KEY: "k",
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["test"], hosts: ["api.acme.dev"] } }),
      HOOK: HOOK_SECRET,
    },
    routes: {
      [`POST ${MODEL}/responses`]: () => Response.json({ error: {} }, { status: 404 }),
      "POST https://claude.test/v1/messages": (sent) => {
        const { messages } = sent.json() as { messages: { content: unknown }[] };
        const text = JSON.stringify(messages.at(-1)?.content);
        const isAnswer = text.includes("tool_result");
        const call = { type: "tool_use", id: `toolu_${(round += 1)}`, name: "mailbox", input: {} };
        return {
          id: "x",
          type: "message",
          role: "assistant",
          model: "m",
          content: [isAnswer ? { type: "text", text } : call],
          stop_reason: isAnswer ? "end_turn" : "tool_use",
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        };
      },
      [`POST ${MODEL}/chat/completions`]: (sent) => {
        const { messages } = sent.json() as { messages: { role: string }[] };
        const isAnswer = messages.at(-1)?.role === "tool";
        const call = {
          id: `c${(round += 1)}`,
          type: "function",
          function: { name: "mailbox", arguments: "{}" },
        };
        const message = isAnswer
          ? { role: "assistant", content: JSON.stringify(messages.at(-1)) }
          : { role: "assistant", content: null, tool_calls: [call] };
        return {
          id: "x",
          object: "chat.completion",
          created: 1,
          model: "m",
          choices: [{ index: 0, message, finish_reason: isAnswer ? "stop" : "tool_calls" }],
        };
      },
    },
  });
  await world.connect("ada", "ada@acme.dev");
  await world.connect("grace", "grace@acme.dev");
  for (const [name, triggers] of [
    ["mail_flow", undefined],
    ["mail_hook", { webhook: { verify: "standard-webhooks", secret: "HOOK", subject: "/of" } }],
  ] as const) {
    const kept = await world.send("PUT", `/v1/flows/${name}`, { ...FLOW, triggers });
    expect(kept.status, JSON.stringify(kept.body)).toBe(201);
  }
  return world;
}

type World = Awaited<ReturnType<typeof openDoors>>;
type Door = (world: World, subject: string, key: string) => Promise<string>;

const header = (subject: string, key: string) => ({ "volley-subject": subject, "idempotency-key": key });
const said = (answer: { body: unknown }): string => JSON.stringify(answer.body);

/** Look at a job until it is over. */
async function endOf(world: World, jobId: string): Promise<string> {
  for (let looks = 0; looks < 20; looks += 1) {
    const { body } = await world.send("GET", `/v1/jobs/${jobId}`);
    if (!["running", "retrying"].includes(body.status as string)) return JSON.stringify(body);
    await world.volley.advance(1_000);
  }
  throw new Error(`Cannot wait for the job ${jobId} any longer`);
}

/** Every way in which a tool runs for somebody. Each says all that was answered. */
const DOORS: Readonly<Record<string, Door>> = {
  "the field of a batch": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/execute_actions",
        { subject, actions: [{ tool: "mailbox" }] },
        { "idempotency-key": key },
      ),
    ),
  "the header of a batch": async ({ send }, subject, key) =>
    said(await send("POST", "/v1/execute_actions", { actions: [{ tool: "mailbox" }] }, header(subject, key))),
  "an action's key": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/execute_actions",
        { actions: [{ tool: "mailbox", idempotency_key: key }] },
        { "volley-subject": subject },
      ),
    ),
  "a flow as an action": async ({ send }, subject, key) =>
    said(
      await send("POST", "/v1/execute_actions", { actions: [{ tool: "mail_flow" }] }, header(subject, key)),
    ),
  "a flow's run": async ({ send }, subject, key) =>
    said(await send("POST", "/v1/flows/mail_flow/run", { subject }, { "idempotency-key": key })),
  "a provider's turn": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/openai/tool_calls",
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c", type: "function", function: { name: "mailbox", arguments: "{}" } }],
        },
        header(subject, key),
      ),
    ),
  "a tool of MCP": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "mailbox", arguments: {} } },
        {
          ...header(subject, key),
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-06-18",
        },
      ),
    ),
  "one tool by its name": async ({ send }, subject, key) =>
    said(
      await send("POST", "/v1/invoke_tool", { tool_name: "mailbox", parameters: {} }, header(subject, key)),
    ),
  "the orchestration API": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/api/orchestration/batch",
        { tools: [{ id: "a", toolName: "mailbox", input: {} }] },
        header(subject, key),
      ),
    ),
  "an agent's request": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/chat/completions",
        { messages: [{ role: "user", content: "Whose mailbox?" }], volley: { subject, surface: "flat" } },
        { "idempotency-key": key },
      ),
    ),
  "a request of Responses": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/responses",
        { model: "m", input: "Whose mailbox?", volley: { subject, surface: "flat" } },
        { "idempotency-key": key },
      ),
    ),
  "a request of Messages": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/messages",
        {
          model: "m",
          max_tokens: 100,
          messages: [{ role: "user", content: "Whose mailbox?" }],
          volley: { subject, surface: "flat" },
        },
        { "idempotency-key": key },
      ),
    ),
  "a webhook's flow": async (world, subject, key) => {
    const text = JSON.stringify({ of: subject });
    const id = `${key.replaceAll(/\W/g, "-")}-${subject}`;
    const at = new Date(world.volley.now());
    const { body } = await world.send("POST", "/hooks/test/mail_hook", text, {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(HOOK_SECRET).sign(id, at, text),
    });
    return endOf(world, body.job_id as string);
  },
  "a run that is run again": async (world, subject, key) => {
    const batch = { subject, actions: [{ tool: "mailbox" }] };
    const { body } = await world.send("POST", "/v1/execute_actions", batch);
    await world.volley.advance(2_000);
    const path = `/v1/runs/${body.batch_id}/rerun`;
    return said(await world.send("POST", path, {}, { "idempotency-key": key + subject }));
  },
  "a stream of events": async ({ send }, subject, key) =>
    said(
      await send(
        "POST",
        "/v1/execute_actions",
        { actions: [{ tool: "mailbox" }, { tool: "mailbox" }] },
        { ...header(subject, key), accept: "text/event-stream" },
      ),
    ),
  "a background job": async (world, subject, key) => {
    const { body } = await world.send(
      "POST",
      "/v1/execute_actions",
      { actions: [{ tool: "later" }] },
      header(subject, key),
    );
    return endOf(world, body.results[0].job_id as string);
  },
  "a batch in the background": async (world, subject, key) => {
    const batch = { subject, background: true, actions: [{ tool: "mailbox" }] };
    const { body } = await world.send("POST", "/v1/execute_actions", batch, { "idempotency-key": key });
    await endOf(world, body.job_id as string);
    return said(await world.send("GET", `/v1/jobs/${body.job_id}/results`));
  },
  "what a person said yes to, whoever that was": async (world, subject, key) => {
    const { body } = await world.send(
      "POST",
      "/v1/execute_actions",
      { actions: [{ tool: "asked" }] },
      header(subject, key),
    );
    const id = body.results[0].confirmation.id as string;
    const other = subject === "ada" ? "grace" : "ada";
    return said(
      await world.send(
        "POST",
        `/v1/confirmations/${id}`,
        { decision: "approve" },
        { "volley-subject": other },
      ),
    );
  },
};

const other = (subject: string): string => (subject === "ada" ? "grace" : "ada");

describe("A subject, at every door", () => {
  trial.each(Object.keys(DOORS))("T52 is whose account is used: %s", async (name) => {
    const world = await openDoors();
    for (const subject of ["ada", "grace"]) {
      const answer = await DOORS[name]!(world, subject, "one key for both");
      expect(answer).toContain(`${subject}@acme.dev`);
      expect(answer).not.toContain(`${other(subject)}@acme.dev`);
    }
  });

  test("T52 never meets another one, in whatever order they come, and under the same keys", async () => {
    const world = await openDoors();
    const visit = fc.record({
      door: fc.constantFrom(...Object.keys(DOORS)),
      subject: fc.constantFrom("ada", "grace"),
      key: fc.constantFrom("k1", "k2"),
    });
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { minLength: 2, maxLength: 6 }), async (visits) => {
        asked += 1;
        for (const { door, subject, key } of visits) {
          // A key is one door's: the same key with other content is a conflict, also for one subject.
          const answer = await DOORS[door]!(
            world,
            subject,
            `${door.replaceAll(/\W/g, "-")}-${key}-${asked}`,
          ).catch((error: unknown) => String(error));
          expect(answer, door).not.toContain(`${other(subject)}@acme.dev`);
        }
      }),
      { numRuns: samples(20) },
    );
  });

  test("T52 is an unknown field of a model's batch, and of a call", async () => {
    const { send } = await openDoors();
    const call = (name: string, args: object) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } }],
    });
    const batch = await send(
      "POST",
      "/v1/openai/tool_calls",
      call("execute_actions", { subject: "ada", actions: [{ tool: "mailbox" }] }),
    );
    expect(said(batch)).toContain("subject");
    expect(said(batch)).not.toContain("ada@acme.dev");
    const args = await send("POST", "/v1/openai/tool_calls", call("mailbox", { subject: "ada" }));
    expect(said(args)).not.toContain("ada@acme.dev");
    const tool = await send(
      "POST",
      "/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "execute_actions", arguments: { subject: "ada", actions: [{ tool: "mailbox" }] } },
      },
      { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
    );
    expect(said(tool)).not.toContain("ada@acme.dev");
  });

  trial.each([
    ["subjekt", "subject"],
    ["on_connectoin", "on_connection"],
    ["Connections", "connections"],
  ])("is suggested where a caller wrote '%s' for a field of it", async (wrong, meant) => {
    const { send } = await openDoors();
    const suggestion = `Did you mean '${meant}' instead of '${wrong}'?`;
    const messages = [{ role: "user", content: "Read" }];
    for (const [path, body] of [
      ["/v1/execute_actions", { [wrong]: "ada", actions: [{ tool: "mailbox" }] }],
      ["/v1/flows/mail_flow/run", { [wrong]: "ada", input: {} }],
      ["/v1/chat/completions", { messages, volley: { [wrong]: "ada" } }],
    ] as const) {
      const { status, body: problem } = await send("POST", path, body);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(problem), path).toContain(suggestion);
    }
  });

  trial("is not suggested to a model that writes a batch", async () => {
    const { send } = await openDoors();
    const batch = { subjekt: "ada", on_connectoin: "park", actions: [{ tool: "mailbox" }] };
    const turn = await send("POST", "/v1/openai/tool_calls", {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c",
          type: "function",
          function: { name: "execute_actions", arguments: JSON.stringify(batch) },
        },
      ],
    });
    const tool = await send(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "execute_actions", arguments: batch } },
      { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
    );
    for (const answer of [turn, tool]) {
      expect(said(answer)).toContain("there is no field /on_connectoin");
      expect(said(answer)).not.toMatch(/'(?:subject|connections|on_connection)'/);
    }
  });

  trial("T52 stands in no schema that a model sees", async () => {
    const { send } = await openDoors();
    for (const format of ["json-schema", "openai", "openai-responses", "anthropic", "gemini", "mcp"])
      for (const surface of ["batch", "meta", "flat"]) {
        const tools = said(await send("GET", `/v1/tools?format=${format}&surface=${surface}`));
        expect(tools).not.toMatch(/"(?:subject|connections|on_connection)"/);
      }
  });

  trial("T52 finds nothing by the handle of another one's result", async () => {
    const { send } = await openDoors();
    const big = { max_tokens: 1, actions: [{ id: "a", tool: "mailbox" }] };
    const cut = await send("POST", "/v1/execute_actions", { ...big, subject: "ada" });
    const handle = cut.body.results[0].meta.handle as string;
    const look = (subject: string) =>
      send("POST", "/v1/execute_actions", {
        subject,
        actions: [{ tool: "discover_tools", args: { query: { $ref: `${handle}#/mailbox` } } }],
      });
    expect((await look("ada")).body.results[0].status).toBe("success");
    expect((await look("grace")).body.results[0]).toMatchObject({
      status: "error",
      error: { code: "BAD_REFERENCE" },
    });
  });

  trial("is told by its runs, which can be found by it", async () => {
    const { send, volley } = await openDoors();
    await send("POST", "/v1/execute_actions", { subject: "ada", actions: [{ tool: "mailbox" }] });
    await volley.advance(2_000);
    const { body } = await send("GET", "/v1/runs?subject=ada");
    expect(body.runs).toHaveLength(1);
    expect(body.runs[0]).toMatchObject({ subject: "ada" });
    expect((await send("GET", "/v1/runs?subject=grace")).body.runs).toEqual([]);
  });
});
