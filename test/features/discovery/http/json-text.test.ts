import * as z from "zod";
import { expect, test } from "vitest";

import { createTestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { ACCEPTS_JSON } from "../../../support/keyed-doors.ts";
import { trial } from "../../../support/trial.ts";

const look = contractOf("probe-look", {
  input: z.strictObject({
    ids: z.array(z.string()),
    filter: z.optional(z.strictObject({ open: z.boolean() })),
    note: z.optional(z.string()),
  }),
  run: (args) => Promise.resolve({ got: args }),
});
const later = contractOf("probe-later", {
  isWrite: true,
  actions: ["create"],
  execution: "fire-and-forget",
  input: z.strictObject({ ids: z.array(z.string()) }),
  run: (args) => Promise.resolve(args),
});
const volley = await createTestVolley({ tools: [look, later], features: ALL_FEATURES });
const ask = async (path: string, body: object): Promise<string> => {
  const headers = { "content-type": "application/json", ...ACCEPTS_JSON };
  return (await volley.fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).text();
};

const ARGS = { ids: '["a","b"]', filter: ' {"open":true}', note: "[1]" };
const ACTIONS = JSON.stringify([{ tool: "probe-look", args: { ids: ["a", "b"] } }]);
const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const ofMcp = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

test("JSON text of a list or an object is read where a tool asks for one, and the result says so", async () => {
  const { results } = JSON.parse(
    await ask("/v1/execute_actions", { actions: [{ tool: "probe-look", args: ARGS }] }),
  ) as { results: object[] };
  expect(results).toMatchObject([
    {
      status: "success",
      data: { got: { ids: ["a", "b"], filter: { open: true }, note: "[1]" } },
      meta: { read_as: { args: "JSON text in /ids, /filter" } },
    },
  ]);
});

test("JSON text that a reference brings is read likewise, and the result says so", async () => {
  const one = { id: "one", tool: "probe-look", args: { ids: ["a"], note: '["x","y"]' } };
  const args = { ids: { $ref: "one#/got/note" } };
  const { results } = JSON.parse(
    await ask("/v1/execute_actions", { actions: [one, { tool: "probe-look", args }] }),
  ) as { results: { data: object; meta: object }[] };
  expect(results[1]).toMatchObject({
    status: "success",
    data: { got: { ids: ["x", "y"] } },
    meta: { read_as: { args: "JSON text in /ids" } },
  });
  expect(results[0]!.meta).not.toHaveProperty("read_as");
});

trial(
  "a result says so of a job, of a loop and of a batch in the background too, whatever brought the text",
  async () => {
    const texts = { ids: ["a"], note: '["x","y"]' };
    const actions = [
      { id: "one", tool: "probe-look", args: texts },
      { id: "job", tool: "probe-later", args: { ids: { $ref: "one#/got/note" } } },
      { id: "said", tool: "probe-later", args: { ids: "[]" } },
      { id: "all", tool: "probe-look", for_each: ['["x"]', "[]"], args: { ids: { $ref: "item#" } } },
      { id: "jobs", tool: "probe-later", for_each: ["[]"], args: { ids: { $ref: "item#" } } },
      { id: "late", tool: "probe-look", args: { ids: { $ref: "one#/got/note" } } },
      { id: "bare", tool: "probe-look", args: { ids: ["a"] } },
    ];
    const said = (text: string) =>
      (JSON.parse(text) as { results: { id: string; meta: { read_as?: object } }[] }).results.map(
        ({ id, meta }) => [id, meta.read_as],
      );
    const read = { args: "JSON text in /ids" };
    const expected = [
      ["one", undefined],
      ["job", read],
      ["said", read],
      ["all", read],
      ["jobs", read],
      ["late", read],
      ["bare", undefined],
    ];
    expect(said(await ask("/v1/execute_actions", { actions }))).toEqual(expected);
    const begun = JSON.parse(await ask("/v1/execute_actions", { actions, background: true })) as object;
    await volley.advance(60_000);
    const { job_id } = begun as { readonly job_id: string };
    const page = await (await volley.fetch(`/v1/jobs/${job_id}/results`)).text();
    expect(said(page)).toEqual(expected);
  },
);

test("text that is no JSON of what is asked for is refused with its path", async () => {
  const answer = await ask("/v1/execute_actions", {
    actions: ["[1", '{"a":1}', "a"].map((ids) => ({ tool: "probe-look", args: { ids } })),
  });
  const { results } = JSON.parse(answer) as { results: { error: { code: string; issues: object[] } }[] };
  expect(results.map(({ error }) => [error.code, error.issues])).toEqual(
    Array.from({ length: 3 }, () => ["INVALID_ARGS", [expect.objectContaining({ path: "/args/ids" })]]),
  );
});

test.each<[string, string, object]>([
  ["actions of a batch", "/v1/execute_actions", { actions: ACTIONS }],
  [
    "actions of an OpenAI call",
    "/v1/openai/tool_calls",
    [{ id: "c1", type: "function", function: call("execute_actions", { actions: ACTIONS }) }],
  ],
  ["actions over MCP", "/mcp", ofMcp("execute_actions", { actions: ACTIONS })],
  ["arguments over MCP", "/mcp?surface=flat", ofMcp("probe-look", { ids: '["a","b"]' })],
  ["parameters", "/v1/invoke_tool", { tool_name: "probe-look", parameters: '{"ids":["a","b"]}' }],
  [
    "parameters in parameters",
    "/v1/invoke_tool",
    { tool_name: "probe-look", parameters: { ids: '["a","b"]' } },
  ],
  [
    "parameters over MCP",
    "/mcp",
    ofMcp("invoke_tool", { tool_name: "probe-look", parameters: '{"ids":["a","b"]}' }),
  ],
  [
    "parameters of an OpenAI call",
    "/v1/openai/tool_calls",
    [
      {
        id: "c1",
        type: "function",
        function: call("invoke_tool", { tool_name: "probe-look", parameters: '{"ids":["a","b"]}' }),
      },
    ],
  ],
  [
    "tools of the Orchestration API",
    "/api/orchestration/batch",
    {
      tools: [{ id: "t1", toolName: "probe-look", input: { ids: '["a","b"]' } }],
    },
  ],
])("%s that are JSON text are read", async (_, path, body) => {
  expect((await ask(path, body)).replaceAll("\\", "")).toContain('"got":{"ids":["a","b"]}');
});

test("queries of a discovery that are JSON text are read", async () => {
  const answer = JSON.parse(await ask("/v1/discover_tools", { queries: '["look"]' })) as object;
  expect(answer).not.toHaveProperty("code");
});

test("references in parameters that are JSON text are looked up, and reserved keys in them are none", async () => {
  const actions = [
    { id: "first", tool: "probe-look", args: { ids: ["z"] } },
    {
      tool: "invoke_tool",
      args: { tool_name: "probe-look", parameters: '{"ids":{"$ref":"first#/got/ids"}}' },
    },
    { tool: "invoke_tool", args: { tool_name: "probe-look", parameters: '{"ids":["a"],"__proto__":{}}' } },
    { tool: "probe-look", args: { ids: ["a"], filter: '{"open":true,"constructor":1}' } },
  ];
  const { results } = JSON.parse(await ask("/v1/execute_actions", { actions })) as { results: object[] };
  expect(results).toMatchObject([
    { status: "success" },
    { data: { got: { ids: ["z"] } }, meta: { read_as: { args: "JSON text in /parameters" } } },
    { status: "error", error: { code: "INVALID_ARGS" } },
    { status: "error", error: { code: "INVALID_ARGS" } },
  ]);
});
