import { type Schema, Validator } from "@cfworker/json-schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startSandbox } from "../support/sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";
import type { RunningWorker } from "../support/miniflare.ts";

let volley: RunningWorker;

beforeAll(async () => {
  volley = await startSandbox();
});

afterAll(() => volley?.[Symbol.asyncDispose]());

interface ToolList {
  readonly tools: readonly {
    readonly name?: string;
    readonly description?: string;
    readonly input_schema?: Schema;
    readonly type?: string;
    readonly function?: { readonly name: string; readonly description: string; readonly parameters: Schema };
  }[];
}

/** By the standard: Zod's reader overlooks what stands beside a reference. */
function isValid(schema: Schema, value: unknown): boolean {
  return new Validator(schema, "2020-12").validate(value).valid;
}

async function list(query: string, key?: string): Promise<ToolList["tools"]> {
  const { status, text } = await new TestCaller(volley.url, key).get(`/v1/tools${query}`);
  expect(status).toBe(200);
  return (JSON.parse(text) as ToolList).tools;
}

/** The first reference document's own batch. */
const EXAMPLE = {
  actions: [
    { tool: "google-maps-search", args: { query: "oil change near Phoenix, AZ" } },
    { tool: "nhtsa-recall-search", args: { year: 2020, make: "Toyota", model: "Camry" } },
    { tool: "web-search", args: { query: "2020 Toyota Camry common issues" } },
  ],
};

describe("GET /v1/tools", () => {
  test("gives one tool whose schema takes the reference document's batch", async () => {
    const tools = await list("");
    expect(tools.map(({ name }) => name)).toEqual(["execute_actions"]);
    expect(isValid(tools[0]!.input_schema!, EXAMPLE)).toBe(true);
  });

  test.each([
    ["no actions", {}],
    ["empty actions", { actions: [] }],
    ["an unknown tool", { actions: [{ tool: "google-maps" }] }],
    ["an argument of the wrong type", { actions: [{ tool: "web-search", args: { query: 7 } }] }],
    ["a missing argument", { actions: [{ tool: "nhtsa-recall-search", args: { year: 2020 } }] }],
    ["an unknown argument", { actions: [{ tool: "web-search", args: { query: "x", limitt: 3 } }] }],
    ["arguments beside args", { actions: [{ tool: "web-search", query: "x" }] }],
    ["an unknown field", { ...EXAMPLE, parallel: true }],
    ["a deadline over a minute", { ...EXAMPLE, deadline_ms: 60_001 }],
  ])("gives a schema that refuses %s, as the endpoint does", async (_, body) => {
    const [tool] = await list("");
    expect(isValid(tool!.input_schema!, body)).toBe(false);

    const answer = await new TestCaller(volley.url).send({ body: JSON.stringify(body) });
    const { summary } = JSON.parse(answer.text) as { summary?: { ok: number } };
    expect(answer.status === 422 || summary?.ok === 0).toBe(true);
  });

  test("carries every tool's contract beside its arguments", async () => {
    const [tool] = await list("?format=json-schema&surface=batch");
    const text = JSON.stringify(tool);
    for (const mode of ["parallel-safe", "fan-out-bounded", "sequential-only", "dependent"])
      expect(text).toContain(`"x-orchestration":{"mode":"${mode}"`);
    expect(text).toContain('"rate_limit":{"limit":5,"window_s":10,"scope":"tenant"}');
  });

  test("says the same in OpenAI's dialect", async () => {
    const [plain] = await list("?format=json-schema");
    const [openai] = await list("?format=openai");

    expect(openai).toEqual({
      type: "function",
      function: {
        name: "execute_actions",
        description: plain!.description,
        parameters: plain!.input_schema,
        strict: false,
      },
    });
  });

  test("gives the three meta-tools and a batch tool that names no tool", async () => {
    const tools = await list("?surface=meta");
    expect(tools.map(({ name }) => name)).toEqual([
      "discover_tools",
      "get_tool_schema",
      "invoke_tool",
      "execute_actions",
    ]);
    for (const name of ["probe-echo", "web-search"]) expect(JSON.stringify(tools)).not.toContain(name);
    expect(isValid(tools[3]!.input_schema!, EXAMPLE)).toBe(true);
  });

  test("gives every tool by itself, with its own schema and contract", async () => {
    const tools = await list("?surface=flat&format=openai");
    const limited = tools.find((tool) => tool.function!.name === "probe-limited")!.function!;

    expect(tools.length).toBeGreaterThan(10);
    expect(limited.parameters).toMatchObject({
      type: "object",
      properties: { n: { type: "number" } },
      "x-orchestration": { mode: "fan-out-bounded", max_concurrency: 3 },
    });
  });

  test("refuses a surface that is none, naming those there are", async () => {
    const answer = await new TestCaller(volley.url).get("/v1/tools?surface=all");
    expect(answer.status).toBe(400);
    expect(problemOf(answer)).toMatchObject({
      code: "INVALID_QUERY",
      path: "surface",
      expected: "one of batch, meta, flat",
      received: "all",
    });
  });

  test.each([
    ["?surface=meta&surface=flat", { path: "surface", expected: "one value", received: "meta, flat" }],
    ["?formta=openai", { path: "formta", expected: "one of format, surface", received: "formta" }],
  ])("refuses the query %s, of which a part would be ignored", async (query, issue) => {
    const answer = await new TestCaller(volley.url).get(`/v1/tools${query}`);
    expect(problemOf(answer)).toMatchObject({ status: 400, code: "INVALID_QUERY", ...issue });
  });

  test("shows a key only what it may call", async () => {
    const flat = await list("?surface=flat", "sandbox-small-key");
    expect(flat.map(({ name }) => name)).toContain("probe-echo");
    expect(flat.map(({ name }) => name)).not.toContain("web-search");

    const text = JSON.stringify(await list("", "sandbox-small-key"));
    expect(text).toContain("probe-echo");
    for (const name of ["web-search", "send_email", "get_weather"]) expect(text).not.toContain(name);
  });
});
