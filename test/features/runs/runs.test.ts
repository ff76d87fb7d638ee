import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../src/features/confirmations/index.ts";
import { discovery } from "../../../src/features/discovery/index.ts";
import { document } from "../../../src/features/document/index.ts";
import { addedTools } from "../../../src/features/added-tools/index.ts";
import { flows } from "../../../src/features/flows/index.ts";
import { formats } from "../../../src/features/formats/index.ts";
import { mcp } from "../../../src/features/mcp/index.ts";
import { orchestration } from "../../../src/features/orchestration/index.ts";
import { runs } from "../../../src/features/runs/index.ts";
import { createTestVolley, type TestVolley, type TestVolleyOptions } from "../../../src/package/testing.ts";

const DECLARATION = {
  summary: "Echo a text",
  description: "Echo a text.",
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
const leaky = defineTool({
  ...DECLARATION,
  name: "leaky_echo",
  secrets: ["LEAKY_KEY"],
  run: async ({ text }, ctx) => ({ text, said: `Bearer ${ctx.secret("LEAKY_KEY")}` }),
});
const drop = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  isWrite: true,
  orchestration: { mode: "sequential-only" },
});
const late = defineTool({ ...DECLARATION, name: "send_later", execution: "fire-and-forget", isWrite: true });
const TOOLS = [echo, hidden, leaky, drop, late];
const SECRET = "a-secret-of-a-tool-9f1";

interface Run {
  readonly run_id: string;
  readonly [field: string]: unknown;
}
interface Page {
  readonly runs: readonly Run[];
  readonly next_cursor: string | null;
}

const start = (options: Partial<TestVolleyOptions> = {}): Promise<TestVolley> =>
  createTestVolley({
    tools: TOOLS,
    features: [
      discovery(),
      confirmations(),
      addedTools(),
      flows(),
      formats(),
      mcp(),
      orchestration(),
      document(),
      runs(),
    ],
    key: { flags: ["approve", "manage_tools"] },
    ...options,
    env: { LEAKY_KEY: SECRET, ...options.env },
  });
const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T;
const send = (volley: TestVolley, method: string, path: string, body?: unknown): Promise<Response> =>
  volley.fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const list = async (volley: TestVolley, query = ""): Promise<Page> => {
  await volley.advance(2_000);
  return json<Page>(volley.fetch(`/v1/runs${query}`));
};
const show = (volley: TestVolley, id: string): Promise<Run> => json<Run>(volley.fetch(`/v1/runs/${id}`));

describe("A run", () => {
  test("is left by a batch, with its plan, arguments, results and failures", async () => {
    const volley = await start();
    const envelope = await volley.run({
      actions: [
        { id: "first", tool: "echo_text", args: { text: "one" } },
        { id: "second", tool: "echo_text", args: { text: { $ref: "first#/text" } } },
        { id: "wrong", tool: "echo_text", args: {} },
      ],
    });
    const { runs: listed } = await list(volley);
    expect(listed).toMatchObject([
      {
        run_id: envelope.batch_id,
        source: "http",
        key: "test",
        status: "partial",
        actions: 3,
        summary: { total: 3, ok: 2, error: 1 },
        tools: ["echo_text"],
        error: { action: "wrong", code: "INVALID_ARGS" },
      },
    ]);
    const run = await show(volley, envelope.batch_id);
    expect(run).toMatchObject({
      run_id: envelope.batch_id,
      plan: { edges: [{ from: "first", to: "second", reason: "reference" }] },
      actions: [
        { id: "first", status: "success", args: { text: "one" }, data: { text: "one" } },
        { id: "second", status: "success", args: { text: "one" }, data: { text: "one" } },
        { id: "wrong", status: "error", error: { code: "INVALID_ARGS", hint: expect.any(String) } },
      ],
      children: [],
    });
  });
});
