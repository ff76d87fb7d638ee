import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { connections } from "../../../../src/features/connections/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const limited = (limit: number) => ({
  orchestration: { mode: "parallel-safe", rate_limit: { limit, window_s: 60, scope: "tenant" } } as const,
});
const SECRET = "a-secret-of-a-tool-9f1";
const DECLARATION = {
  summary: "Say a text",
  description: "Say a text.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }: { text: string }) => ({ text }),
} as const;
const echo = defineTool({ ...DECLARATION, name: "echo_text" });
const hidden = defineTool({ ...DECLARATION, name: "hidden_echo", private: true });
const leaky = defineTool({ ...DECLARATION, name: "leaky_echo", secrets: ["LEAKY_KEY"] });

const start = (env: Record<string, string> = {}): Promise<TestVolley> =>
  createTestVolley({
    tools: [echo, hidden, leaky],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
    key: { flags: ["approve", "manage_tools"] },
    env: { LEAKY_KEY: SECRET, ...env },
    routes: { "GET https://api.example.com/said": { said: "a private matter" } },
  });
const send = async (volley: TestVolley, method: string, path: string, body?: object) => {
  const answer = await volley.fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: JSON.parse(text || "null") as Record<string, unknown> };
};

describe("A run is not run again", () => {
  test.each([
    ["of a private tool", {}, "hidden_echo", "a word"],
    ["of which a secret was taken out", {}, "leaky_echo", `see ${SECRET} here`],
    ["that was too large to be kept", {}, "echo_text", "x".repeat(17_000)],
    ["whose content is not kept at all", { VOLLEY_RUNS: "outline" }, "echo_text", "a word"],
  ])("with an action %s: 422 with its id, and nothing runs", async (_, env, tool, text) => {
    const volley = await start(env);
    const { batch_id } = await volley.run({
      actions: [
        { id: "fine", tool: "echo_text", args: { text: "fine" } },
        { id: "lost", tool, args: { text } },
      ],
    });
    await volley.advance(3_000);
    const { status, text: said } = await send(volley, "POST", `/v1/runs/${batch_id}/rerun`, {});
    expect(status).toBe(422);
    expect(said).toContain("'lost'");
    expect(said).not.toContain(SECRET);
    await volley.advance(3_000);
    expect((await send(volley, "GET", "/v1/runs")).json["runs"]).toHaveLength(1);
  });
});

test("F28 A run is run again with the tools as they are by then: a changed one is held to, and one that is gone is not called", async () => {
  const volley = await start();
  const declare = async (property: string) => {
    const put = await send(volley, "PUT", "/v1/tools/ask_it", {
      summary: `Ask it by ${property}`,
      description: "Ask it.",
      category: "test",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: { [property]: { type: "string" } }, required: [property] },
      http: { method: "GET", url: "https://api.example.com/said" },
    });
    expect(put.status, put.text).toBeLessThan(300);
    await volley.advance(6_000);
  };
  await declare("q");
  const { batch_id } = await volley.run({ actions: [{ id: "one", tool: "ask_it", args: { q: "a" } }] });
  await volley.advance(3_000);
  const rerun = async () => {
    const { status, json } = await send(volley, "POST", `/v1/runs/${batch_id}/rerun`, {});
    await volley.advance(3_000);
    return [status, (json as { readonly results?: readonly object[] }).results?.[0]];
  };
  expect(await rerun()).toMatchObject([200, { status: "success" }]);
  await declare("other");
  expect(await rerun()).toMatchObject([200, { status: "error", error: { code: "INVALID_ARGS" } }]);
  await send(volley, "DELETE", "/v1/tools/ask_it");
  await volley.advance(6_000);
  // It may have been a write, so what it answered then is its answer.
  expect(await rerun()).toMatchObject([200, { status: "success", meta: { idempotency_replayed: true } }]);
});

trial("A run says whose connections it used, and is found by that", async () => {
  const volley = await createTestVolley({
    tools: [echo],
    features: [discovery(), addedTools(), confirmations(), connections(), runs()],
    key: { flags: ["approve"] },
  });
  const batch = { actions: [{ tool: "echo_text", args: { text: "hi" } }] };
  const { batch_id } = await volley.run({ ...batch, subject: "ada" });
  await volley.run(batch);
  await volley.advance(3_000);
  const { json } = await send(volley, "GET", "/v1/runs?subject=ada");
  expect(json["runs"]).toMatchObject([{ run_id: batch_id, subject: "ada" }]);
});

trial("A tool with 'private' that a tenant added leaves neither arguments nor results", async () => {
  const volley = await start();
  const put = await send(volley, "PUT", "/v1/tools/ask_it", {
    summary: "Ask it",
    description: "Ask it.",
    category: "test",
    actions: ["read"],
    is_write: false,
    private: true,
    input_schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    http: { method: "GET", url: "https://api.example.com/said" },
  });
  expect(put.status, put.text).toBe(201);
  await volley.advance(6_000);
  const { batch_id, results } = await volley.run({
    actions: [{ id: "p", tool: "ask_it", args: { q: "a private question" } }],
  });
  expect(results).toMatchObject([{ status: "success" }]);
  await volley.advance(3_000);
  const { text, json } = await send(volley, "GET", `/v1/runs/${batch_id}`);
  expect(json).toMatchObject({ actions: [{ id: "p", private: true, status: "success" }] });
  expect(text).not.toContain("a private");
});

trial("A flow that a clock starts leaves a run of the source 'cron'", async () => {
  const volley = await start();
  const put = await send(volley, "PUT", "/v1/flows/every-minute", {
    summary: "Say it",
    input_schema: { type: "object" },
    actions: [{ id: "one", tool: "echo_text", args: { text: "hi" } }],
    triggers: { cron: "* * * * *", timezone: "UTC" },
  });
  expect(put.status, put.text).toBe(201);
  await volley.advance(70_000);
  const { json } = await send(volley, "GET", "/v1/runs?source=cron");
  expect(json["runs"]).toMatchObject([{ source: "cron", flow: "every-minute", status: "success" }]);
});

trial.each([
  ["by its tool's limit", limited(1), "RATE_LIMITED"],
  ["because its job found no room", { execution: "fire-and-forget", ...limited(1) }, "RATE_LIMITED"],
] as const)(
  "An action that was turned away %s is run again with what it was sent with",
  async (_, more, code) => {
    const seen: string[] = [];
    const run = async ({ text }: { readonly text: string }) => ({ x: seen.push(text) });
    const tool = defineTool({
      ...DECLARATION,
      ...more,
      isWrite: true,
      actions: ["update"],
      name: "say_it",
      run,
    });
    const volley = await createTestVolley({ tools: [tool], features: [confirmations(), runs()] });
    const { batch_id: id, results } = await volley.run({
      actions: ["a", "b"].map((text) => ({ id: text, tool: "say_it", args: { text }, select: ["/x"] })),
    });
    expect(results).toMatchObject([{}, { status: "error", error: { code } }]);
    await volley.advance(61_000);
    expect(seen).toEqual(["a"]);
    const { json } = await send(volley, "POST", `/v1/runs/${id}/rerun`, { only: "failed" });
    await volley.advance(1_000);
    expect(json).toMatchObject({ summary: { total: 2, error: 0 } });
    expect(seen).toEqual(["a", "b"]);
  },
);
