import * as z from "zod";
import { expect, test } from "vitest";

import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { ACCEPTS_JSON, KEYED_DOORS, WRITE_FLOW } from "../../../support/keyed-doors.ts";
import { trial } from "../../../support/trial.ts";

const HOST = "https://up.example.com";
const write = contractOf("probe-write", {
  isWrite: true,
  actions: ["update"],
  hosts: [HOST],
  secrets: ["TOKEN"],
  input: z.strictObject({ n: z.number() }),
  run: async (_, { fetch, secret }) =>
    (await fetch(HOST, { method: "POST", headers: { authorization: secret("TOKEN") } })).json(),
});

const open = async (): Promise<TestVolley> => {
  const volley = await createTestVolley({
    tools: [write, contractOf("probe-look", { run: () => Promise.resolve({ found: true }) })],
    features: ALL_FEATURES,
    key: { flags: ["manage_tools"] },
  });
  const { name, flow } = WRITE_FLOW;
  const headers = { "content-type": "application/json" };
  await volley.fetch(`/v1/flows/${name}`, { method: "PUT", headers, body: JSON.stringify(flow) });
  return volley;
};

const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const BATCH = { actions: [{ tool: "probe-write", args: { n: 1 } }] };
const OF_MODELS: typeof KEYED_DOORS = [
  [
    "a turn of OpenAI",
    {
      path: "/v1/openai/tool_calls",
      bodyOf: (n) => [{ id: "c1", type: "function", function: call("probe-write", { n }) }],
    },
  ],
  [
    "a turn of OpenAI that is a batch",
    {
      path: "/v1/openai/tool_calls",
      bodyOf: () => [{ id: "c1", type: "function", function: call("execute_actions", BATCH) }],
    },
  ],
  [
    "a turn of Gemini",
    {
      path: "/v1/gemini/function_calls",
      bodyOf: (n) => ({ role: "model", parts: [{ functionCall: { name: "probe-write", args: { n } } }] }),
    },
  ],
  [
    "an MCP call of one tool",
    {
      path: "/mcp?surface=flat",
      bodyOf: (n) => ({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "probe-write", arguments: { n } },
      }),
    },
  ],
];
/** Turns whose key stands for more than one batch. */
const SHARED: typeof KEYED_DOORS = [
  [
    "a turn of a call and a batch",
    {
      path: "/v1/openai/tool_calls",
      bodyOf: (n) => [
        { id: "c1", type: "function", function: call("probe-write", { n }) },
        { id: "c2", type: "function", function: call("execute_actions", BATCH) },
      ],
    },
  ],
  [
    "a turn of a call and a batch that is none",
    {
      path: "/v1/openai/tool_calls",
      bodyOf: (n) => [
        { id: "c1", type: "function", function: call("probe-write", { n }) },
        { id: "c2", type: "function", function: call("execute_actions", { actions: [] }) },
      ],
    },
  ],
];

trial.each([
  ...[...KEYED_DOORS, ...OF_MODELS].map((door) => [...door, "let go of"] as const),
  ...SHARED.map((door) => [...door, "kept"] as const),
])("P5: the key of %s whose only write misses its secret is $2", async (_, { path, bodyOf }, becomes) => {
  const volley = await open();
  const send = () =>
    volley.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "k", ...ACCEPTS_JSON },
      body: JSON.stringify(bodyOf(1)),
    });
  const first = await send();
  const text = await first.text();
  expect([first.status, /configured|MISCONFIGURED/.test(text)]).toEqual([200, true]);
  expect(text).not.toMatch(/sent_?nothing/i);
  expect((await send()).headers.has("idempotency-replayed")).toBe(becomes === "kept");
  expect(volley.requests).toEqual([]);
  await volley.advance(2_000);
  const { runs } = (await (await volley.fetch("/v1/runs")).json()) as { runs: { run_id: string }[] };
  expect(runs.length).toBeGreaterThan(0);
  for (const { run_id: id } of runs)
    expect(await (await volley.fetch(`/v1/runs/${id}`)).text()).not.toMatch(/sent_?nothing/i);
});

test("P5: the key of a rerun of which nothing was sent is let go of, unless it answers something from its run", async () => {
  const volley = await open();
  const post = (path: string, body: object, key?: string) =>
    volley.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
      body: JSON.stringify(body),
    });
  const fails = { tool: "probe-write", args: { n: 1 } };
  for (const [actions, replayed] of [
    [[fails], false],
    [[fails, { tool: "probe-look" }], true],
  ] as const) {
    const { batch_id: id } = (await (await post("/v1/execute_actions", { actions })).json()) as {
      batch_id: string;
    };
    await volley.advance(3_000);
    const again = () => post(`/v1/runs/${id}/rerun`, { only: "failed" }, `k ${id}`);
    const { results } = (await (await again()).json()) as { results: readonly object[] };
    expect(results[0]).toMatchObject({ error: { code: "MISCONFIGURED" } });
    await volley.advance(3_000);
    expect((await again()).headers.has("idempotency-replayed")).toBe(replayed);
  }
});
