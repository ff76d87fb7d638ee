import { expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { operator } from "../../../../src/features/operator/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { DECLARATION, sendIt, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const drop = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], run: sendIt });
const later = defineTool({ ...DECLARATION, name: "store_later", execution: "fire-and-forget", run: sendIt });

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly children: readonly Run[];
}

/** A Volley whose model calls tools in its first answer and is done in the next one. */
async function converse(...calls: readonly (readonly [tool: string, of: string])[]) {
  const answers = [
    {
      content: null,
      tool_calls: calls.map(([name, of], at) => ({
        id: `c${at}`,
        type: "function",
        function: { name, arguments: JSON.stringify({ of }) },
      })),
    },
    { content: "Done." },
  ];
  const volley = await createTestVolley({
    tools: [store, drop, later],
    features: [discovery(), confirmations(), addedTools(), flows(), agent(), runs(), operator()],
    key: { flags: ["approve", "manage_tools"] },
    env: { LLM_BASE_URL: "https://model.example.com/v1", LLM_API_KEY: "k", LLM_MODEL: "m" },
    routes: {
      "POST https://api.example.com/*": ({ url }) =>
        Response.json({}, { status: url.endsWith("/bad") ? 422 : 200 }),
      "POST https://model.example.com/v1/chat/completions": () =>
        Response.json({
          id: "x",
          object: "chat.completion",
          created: 1,
          model: "m",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...answers.shift() } }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
    },
  });
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    volley.fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  await send("PUT", "/v1/flows/store-by-flow", {
    summary: "Store it by a flow",
    input_schema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
    actions: [{ id: "one", tool: "store_it", args: { of: { $ref: "input#/of" } } }],
  });
  await volley.advance(6_000);
  const said = await send("POST", "/v1/chat/completions", {
    messages: [{ role: "user", content: "Go" }],
    volley: { surface: "flat" },
  });
  await said.text();
  await volley.advance(5_000);
  return {
    volley,
    send,
    id: said.headers.get("x-request-id")!,
    status: said.status,
    show: async (id: string) => {
      const answer = await send("GET", `/v1/runs/${id}`);
      return { status: answer.status, run: (await answer.json()) as Run };
    },
  };
}

test("A conversation's question names the conversation's run, and what a person said yes to is a child of it", async () => {
  const { volley, send, id, show } = await converse(["drop_it", "a"]);
  const listed = await send("GET", "/v1/confirmations");
  const { confirmations: asked } = (await listed.json()) as {
    confirmations: readonly { id: string; requested_by: { run_id: string } }[];
  };
  expect(asked[0]!.requested_by.run_id).toBe(id);
  expect(await show(id)).toMatchObject({ status: 200, run: { status: "waiting", children: [] } });
  await send("POST", `/v1/confirmations/${asked[0]!.id}`, { decision: "approve" });
  await volley.advance(3_000);
  expect(await show(id)).toMatchObject({
    run: { status: "success", children: [{ source: "approval", parent: id, status: "success" }] },
  });
});

trial("A flow that a conversation calls is a child of its run", async () => {
  const { id, show, status } = await converse(["store-by-flow", "a"]);
  expect(status).toBe(200);
  expect(await show(id)).toMatchObject({
    run: { status: "success", children: [{ source: "flow", flow: "store-by-flow", parent: id }] },
  });
});

trial("A conversation's run follows what became of its jobs", async () => {
  const { id, show } = await converse(["store_later", "bad"], ["store_it", "good"]);
  expect(await show(id)).toMatchObject({
    run: { status: "partial", error: { code: "UPSTREAM_ERROR" } },
  });
});
