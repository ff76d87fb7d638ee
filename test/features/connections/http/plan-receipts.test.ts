import { describe, expect, test } from "vitest";
import * as z from "zod/mini";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { formats } from "../../../../src/features/formats/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { type Answered, API, openConnections } from "./connection-world.ts";
import { base, deletes, mailbox, says } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const MODEL = "https://llm.test/v1";

/** Open a Volley with every door that takes a batch, and a write that counts how often it ran. */
async function open() {
  const written: string[] = [];
  const note = defineTool({
    ...base,
    name: "note",
    isWrite: true,
    actions: ["create"],
    input: z.strictObject({ text: z.string(), by: z.optional(z.string()) }),
    run: async ({ text }) => ({ n: written.push(text) }),
  });
  const told: unknown[] = [];
  const script: object[] = [];
  const world = await openConnections({
    tools: [mailbox, says, deletes, note],
    features: [addedTools(), flows(), background(), agent(), formats(), mcp(), undo()],
    key: { flags: ["approve", "manage_connections", "manage_tools"] },
    env: { LLM_BASE_URL: MODEL, LLM_API_KEY: "k", LLM_MODEL: "m" },
    routes: {
      [`GET ${API}/rate`]: () => ({ rate: 2 }),
      [`POST ${MODEL}/chat/completions`]: ({ body }) => {
        told.push((JSON.parse(body!) as { messages: unknown[] }).messages.at(-1));
        return script.shift();
      },
    },
  });
  const execute = (batch: object, headers = {}) => world.send("POST", "/v1/execute_actions", batch, headers);
  const receiptOf = async (batch: object): Promise<string> => {
    const { body } = await execute({ ...batch, dry_run: true });
    expect(body.errors).toEqual([]);
    return body.plan.receipt as string;
  };
  const declare = (summary: string) =>
    world.send("PUT", "/v1/tools/rate", {
      summary,
      description: "Say the rate.",
      category: "money",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: {} },
      http: { method: "GET", url: `${API}/rate` },
    });
  return { ...world, written, told, script, execute, receiptOf, declare };
}

const NOTE = { actions: [{ id: "n", tool: "note", args: { text: "one", by: "ada" } }] };
const FORM = /^[0-9a-f]{64}\.[0-9a-f]{64}\.[0-9a-f]{64}$/;
const changedOf = ({ status, body }: Answered) => {
  expect(body).toMatchObject({ status: 409, code: "PLAN_CHANGED" });
  expect(status).toBe(409);
  return body.changed as string[];
};

describe("A plan receipt", () => {
  test("is three digests, whatever the order of keys, and a plan with errors has none", async () => {
    const { execute, receiptOf } = await open();
    const receipt = await receiptOf(NOTE);
    expect(receipt).toMatch(FORM);
    const turned =
      '{"on_error":"partial-success","actions":[{"args":{"by":"ada","text":"one"},"tool":"note","id":"n"}]}';
    expect(await receiptOf(JSON.parse(turned) as object)).toBe(receipt);
    const named = {
      actions: [{ id: "n", name: "note", arguments: { text: "one", by: "ada" } }],
      max_tokens: 90,
    };
    expect(await receiptOf(named)).toBe(receipt);
    const { body } = await execute({ dry_run: true, actions: [...NOTE.actions, { tool: "nothing" }] });
    expect(body.plan).not.toHaveProperty("receipt");
  });

  test.each([
    ["ids", { actions: [{ ...NOTE.actions[0]!, id: "m" }] }],
    ["arguments", { actions: [{ ...NOTE.actions[0]!, args: { text: "two", by: "ada" } }] }],
    ["a loop", { actions: [{ ...NOTE.actions[0]!, for_each: [1] }] }],
    ["on_error", { ...NOTE, on_error: "fail-fast" }],
    ["undo", { ...NOTE, on_error: "undo", undo: "what-can" }],
    ["skip_approval", { ...NOTE, skip_approval: true }],
    ["connections", { ...NOTE, subject: "ada", connections: { acme: "work" } }],
  ])("holds a batch to its actions: %s", async (_, other) => {
    const { execute, receiptOf, written } = await open();
    const from = "subject" in other ? { ...NOTE, subject: "ada" } : NOTE;
    const receipt = await receiptOf(from);
    expect(changedOf(await execute({ ...other, plan_receipt: receipt }))).toEqual(["actions"]);
    expect(written).toEqual([]);
    const ran = await execute({ ...from, plan_receipt: receipt });
    expect(ran.body.results[0].status).toBe("success");
  });

  test("is of one subject", async () => {
    const { execute, receiptOf } = await open();
    const receipt = await receiptOf({ ...NOTE, subject: "ada" });
    const other = await execute({ ...NOTE, subject: "bob", plan_receipt: receipt });
    expect(changedOf(other)).toEqual(["actions", "tools", "accounts"]);
  });

  trial("holds a batch to the declarations of its tools, those inside of a flow among them", async () => {
    const { execute, receiptOf, declare, send } = await open();
    await declare("The rate");
    const flow = { summary: "Rates", input_schema: { type: "object" }, actions: [{ id: "r", tool: "rate" }] };
    expect((await send("PUT", "/v1/flows/rates", flow)).status).toBe(201);
    const batches = ["rate", "rates"].map((tool) => ({ actions: [{ tool }] }));
    const receipts = await Promise.all(batches.map(receiptOf));
    for (const [at, batch] of batches.entries())
      expect((await execute({ ...batch, plan_receipt: receipts[at] })).status).toBe(200);
    await declare("The rate of today");
    for (const [at, batch] of batches.entries())
      expect(changedOf(await execute({ ...batch, plan_receipt: receipts[at] }))).toEqual(["tools"]);
    await send("DELETE", "/v1/tools/rate");
    for (const [at, batch] of batches.entries())
      expect(changedOf(await execute({ ...batch, plan_receipt: receipts[at] }))).toEqual(["tools"]);
    // Nothing but the refused batch asked for the tools meanwhile.
    await declare("The rate");
    for (const [at, batch] of batches.entries())
      expect((await execute({ ...batch, plan_receipt: receipts[at] })).status).toBe(200);
    expect((await send("POST", "/v1/flows/rates/run", { plan_receipt: receipts[1] })).body.code).toBe(
      "PLAN_CHANGED",
    );
  });

  trial("holds a batch to its accounts, and to there being none", async () => {
    const { execute, receiptOf, connect, send } = await open();
    const batch = { subject: "ada", actions: [{ tool: "mailbox" }] };
    const none = await receiptOf(batch);
    expect((await execute({ ...batch, plan_receipt: none })).body.results[0].error.code).toBe(
      "CONNECTION_REQUIRED",
    );
    const id = await connect("ada", "ada@acme.dev");
    expect(changedOf(await execute({ ...batch, plan_receipt: none }))).toEqual(["accounts"]);
    const receipt = await receiptOf(batch);
    const ran = await execute({ ...batch, plan_receipt: receipt });
    expect(ran.body.results[0].data).toEqual({ mailbox: "ada@acme.dev" });
    await send("DELETE", `/v1/connections/${id}`);
    await connect("ada", "eve@acme.dev");
    expect(changedOf(await execute({ ...batch, plan_receipt: receipt }))).toEqual(["accounts"]);
  });

  test("beside dry_run is answered with whether it would run", async () => {
    const { execute, receiptOf, written } = await open();
    const receipt = await receiptOf(NOTE);
    const asked = await execute({ ...NOTE, dry_run: true, plan_receipt: receipt });
    expect(asked.body).toMatchObject({ dry_run: true, would_run: true, changed: [], plan: { receipt } });
    const other = await execute({ ...NOTE, on_error: "fail-fast", dry_run: true, plan_receipt: receipt });
    expect(other.status).toBe(200);
    expect(other.body).toMatchObject({ would_run: false, changed: ["actions"] });
    expect(written).toEqual([]);
  });

  trial("that is none is 422", async () => {
    const { execute, send } = await open();
    for (const plan_receipt of ["", "abc", 7, `${"a".repeat(64)}.${"b".repeat(64)}`, "g".repeat(64)]) {
      const { status, body } = await execute({ ...NOTE, plan_receipt });
      expect([status, body.code, body.path]).toEqual([422, "INVALID_BATCH", "/plan_receipt"]);
      const run = await send("POST", "/v1/flows/none/run", { plan_receipt });
      expect([run.status, run.body.code]).toEqual([422, "INVALID_REQUEST"]);
    }
  });

  trial(
    "is refused after the batch's key was asked: an answer that is kept is given, and a key that was refused is free",
    async () => {
      const { execute, receiptOf, declare } = await open();
      await declare("The rate");
      const batch = { actions: [{ tool: "rate" }] };
      const keyed = { ...batch, plan_receipt: await receiptOf(batch) };
      const first = await execute(keyed, { "idempotency-key": "k1" });
      expect(first.status).toBe(200);
      await declare("The rate of today");
      const again = await execute(keyed, { "idempotency-key": "k1" });
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.body).toEqual(first.body);
      expect(changedOf(await execute(keyed, { "idempotency-key": "k2" }))).toEqual(["tools"]);
      const mended = { ...batch, plan_receipt: await receiptOf(batch) };
      expect((await execute(mended, { "idempotency-key": "k2" })).status).toBe(200);
      expect((await execute(mended, { "idempotency-key": "k1" })).body.code).toBe("IDEMPOTENCY_CONFLICT");
    },
  );
});

describe("A plan receipt is taken by", () => {
  trial("a run of a flow, with its input", async () => {
    const { send, written } = await open();
    const actions = [{ id: "n", tool: "note", args: { text: { $ref: "input#/text" } } }];
    const input_schema = { type: "object", properties: { text: { type: "string" } } };
    const put = (more: object) =>
      send("PUT", "/v1/flows/keep", { summary: "Keep", input_schema, actions, ...more });
    await put({});
    const run = (body: object) => send("POST", "/v1/flows/keep/run", body);
    const asked = await run({ input: { text: "a" }, dry_run: true });
    const { receipt } = asked.body.plan as { receipt: string };
    expect(receipt).toMatch(FORM);
    expect(changedOf(await run({ input: { text: "b" }, plan_receipt: receipt }))).toEqual(["actions"]);
    expect((await run({ input: { text: "a" }, plan_receipt: receipt })).status).toBe(200);
    await put({ actions: [...actions, { tool: "says", args: { text: 1 } }] });
    expect(changedOf(await run({ input: { text: "a" }, plan_receipt: receipt }))).toEqual([
      "actions",
      "tools",
    ]);
    expect(written).toEqual(["a"]);
  });

  trial("a batch in the background, when it is sent and when it begins", async () => {
    const { execute, receiptOf, declare, send, volley } = await open();
    await declare("The rate");
    const batch = { actions: [{ tool: "rate" }] };
    const receipt = await receiptOf(batch);
    const sent = { ...batch, background: true, plan_receipt: receipt };
    expect(changedOf(await execute({ ...sent, on_error: "fail-fast" }))).toEqual(["actions"]);
    const endOf = async ({ body }: Answered) => {
      await volley.advance(10_000);
      return (await send("GET", `/v1/jobs/${body.job_id}`)).body;
    };
    expect(await endOf(await execute(sent, { "idempotency-key": "k" }))).toMatchObject({
      status: "succeeded",
    });
    const late = await execute(sent);
    expect(late.status).toBe(202);
    await declare("The rate of today");
    expect(await endOf(late)).toMatchObject({ status: "dead", error: { code: "TOOL_CHANGED" } });
    expect((await execute(sent, { "idempotency-key": "k" })).headers.get("idempotency-replayed")).toBe(
      "true",
    );
    expect(changedOf(await execute(sent))).toEqual(["tools"]);
  });

  trial("MCP and a provider's turn, whose other calls run", async () => {
    const { send, receiptOf, written } = await open();
    const good = { ...NOTE, plan_receipt: await receiptOf(NOTE) };
    const bad = { ...good, on_error: "fail-fast" };
    const call = (args: object) =>
      send("POST", "/mcp", {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "execute_actions", arguments: args },
      });
    const refused = (await call(bad)).body.result;
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.error ?? refused.structuredContent).toMatchObject({
      code: "PLAN_CHANGED",
    });
    expect((await call(good)).body.result.isError ?? false).toBe(false);
    const use = (id: string, input: object) => ({ type: "tool_use", id, name: "execute_actions", input });
    const turn = await send(
      "POST",
      "/v1/anthropic/tool_use",
      { role: "assistant", content: [use("t1", bad), use("t2", good)] },
      { "idempotency-key": "turn" },
    );
    expect(
      turn.body.messages[0].content.map(({ is_error }: { is_error?: boolean }) => is_error ?? false),
    ).toEqual([true, false]);
    expect(written).toEqual(["one", "one"]);
  });

  trial("a round of a conversation, as the plan was shown there", async () => {
    const { send, script, told, written } = await open();
    const says = (batch: object) => ({
      choices: [
        {
          message: {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                id: `c${script.length}${JSON.stringify(batch).length}`,
                type: "function",
                function: { name: "execute_actions", arguments: JSON.stringify(batch) },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    });
    const end = { choices: [{ message: { role: "assistant", content: "Done" }, finish_reason: "stop" }] };
    const talk = (volley: object) =>
      send("POST", "/v1/chat/completions", { messages: [{ role: "user", content: "Go" }], volley });
    script.push(says({ ...NOTE, dry_run: true }), end);
    await talk({ on_error: "fail-fast" });
    const { receipt } = JSON.parse((told.at(-1) as { content: string }).content).plan as { receipt: string };
    script.push(says({ ...NOTE, plan_receipt: receipt }), end);
    await talk({});
    expect((told.at(-1) as { content: string }).content).toContain("PLAN_CHANGED");
    expect(written).toEqual([]);
    script.push(says({ ...NOTE, plan_receipt: receipt }), end);
    await talk({ on_error: "fail-fast" });
    expect(written).toEqual(["one"]);
  });
});
